# What the processor can do, asked at run time: one binary starts everywhere and is fast where it may be.
#
# Kernels of floats are written once, in vectors of eight, and compiled twice: for every machine and for wide registers.
# Kernels of integers (integers.pyx) are written for each kind of register. A module that has kernels sets `renga_wide`
# when it is imported.

cdef extern from *:
    """
    #include <stdlib.h>
    enum { AVX2 = 1, AVX512 = 2 };
    #if defined(__GNUC__) && defined(__x86_64__)
    #include <cpuid.h>
    #include <immintrin.h>
    #define RENGA_AVX2 1                                /* can be compiled; whether it runs says wide_works */
    #define RENGA_FETCH(p) __builtin_prefetch(p)
    #define RENGA_WIDE __attribute__((target("avx2,fma")))
    /* zig switches off what its baseline lacks, 512-bit registers by themselves; GCC 12 has no name for these. */
    #if defined(__clang__) && __clang_major__ >= 18
    #define RENGA_REGISTERS ",evex512"
    #else
    #define RENGA_REGISTERS ""
    #endif
    #define RENGA_WIDEST __attribute__((target("avx2,fma,avx512f,avx512bw,avx512vl,avx512vnni" RENGA_REGISTERS)))
    /* Asked by hand: __builtin_cpu_supports needs a library that clang for Windows does not have. */
    static int wide_works(void) {
        unsigned a, b, c, d, saved, unused;
        const char* narrow = getenv("RENGA_NARROW");    /* to try out what older machines do: 1, or 256 for AVX2 at most */
        const int avx2_at_most = narrow && atoi(narrow) == 256;
        if (narrow && !avx2_at_most) return 0;
        if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_FMA)) return 0;
        __asm__("xgetbv" : "=a"(saved), "=d"(unused) : "c"(0));
        if ((saved & 6) != 6) return 0;                 /* the system does not keep the wide registers */
        if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return 0;
        if (avx2_at_most || (saved & 0xE0) != 0xE0) return AVX2;
        return (b & bit_AVX512F) && (b & bit_AVX512BW) && (b & bit_AVX512VL) && (c & bit_AVX512VNNI) ? AVX512 : AVX2;
    }
    #else
    #define RENGA_AVX2 0
    #define RENGA_FETCH(p) ((void)(p))
    #define RENGA_WIDE
    static int wide_works(void) { return 0; }
    #endif

    typedef float v8 __attribute__((vector_size(32), aligned(4)));

    static int renga_wide __attribute__((unused));
    #define RENGA_KERNEL static inline __attribute__((always_inline)) void
    /* From the kernel `name_kernel` makes `name`, which runs on the machine it meets. */
    #define RENGA_BOTH(name, parameters, arguments)                              \
        static RENGA_WIDE void name##_wide parameters { name##_kernel arguments; }  \
        static void name##_narrow parameters { name##_kernel arguments; }           \
        static void name parameters { if (renga_wide) name##_wide arguments; else name##_narrow arguments; }
    """
    int renga_wide
    int wide_works() noexcept nogil     # 0, AVX2 (with FMA), or AVX512 (with VNNI); the system keeps their registers
