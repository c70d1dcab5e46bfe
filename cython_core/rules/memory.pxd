# Memory that begins at a line of the caches: what is as large as a line then lies in one, never across two.

cdef extern from *:
    """
    #include <stdlib.h>
    #if defined(_WIN32)
    #include <malloc.h>
    #define aligned_malloc(bytes) _aligned_malloc(bytes, 64)
    #define aligned_free(memory) _aligned_free(memory)
    #else
    static inline void *aligned_malloc(size_t bytes) {
        void *memory;
        return posix_memalign(&memory, 64, bytes) ? NULL : memory;
    }
    #define aligned_free(memory) free(memory)
    #endif
    """
    void* aligned_malloc(size_t bytes) noexcept nogil       # NULL if there is none
    void aligned_free(void* memory) noexcept nogil          # of what `aligned_malloc` gave, or NULL
