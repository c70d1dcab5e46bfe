# The tree's lock: held for microseconds, so it spins; but two threads may share one core, so it soon gives way.

cdef extern from *:
    """
    #if defined(_WIN32)
    #include <windows.h>
    #define give_way() SwitchToThread()
    #else
    #include <sched.h>
    #define give_way() sched_yield()
    #endif
    static inline void take_lock(int *lock) {
        int tries = 0;
        while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
            if (++tries > 32) { tries = 0; give_way(); }
    }
    static inline void drop_lock(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }
    static inline int raised(const int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
    """
    void take_lock(int* lock) noexcept nogil
    void drop_lock(int* lock) noexcept nogil
    bint raised(const int* flag) noexcept nogil
    void give_way() noexcept nogil
