# Matrix products of the network: the one place where most of its time goes.

cdef enum:
    TILE = 6            # rows that are multiplied together; buffers hold a multiple of it
    PANEL = 16          # outputs that are summed together; a matrix has a multiple of them

# out[row][o] = bias[o] + sum over i of x[row][i] * weight[i][o]. All matrices are dense, rows one after the other;
# `rows` is a multiple of TILE and `outputs` one of PANEL.
cdef void multiply(const float* x, int rows, int inputs, const float* weight, int outputs, const float* bias,
                   float* out) noexcept nogil
