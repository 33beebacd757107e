//! The ops of the group `math`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `Abs`.
    ///
    /// ```text
    /// Abs(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, int8, int16, int32, int64}
    /// ```
    abs Abs x (x: one "x") -> one {}

    /// Begins a node of `AccumulateNV2`.
    ///
    /// ```text
    /// AccumulateNV2(inputs: N * T) -> (sum: T)
    ///   N: int >= 1
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   shape: shape
    /// ```
    accumulate_n_v2 AccumulateNV2 graph (graph: graph "", inputs: list "inputs", shape: shape "shape") -> one {}

    /// Begins a node of `Acos`.
    ///
    /// ```text
    /// Acos(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    acos Acos x (x: one "x") -> one {}

    /// Begins a node of `Acosh`.
    ///
    /// ```text
    /// Acosh(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    acosh Acosh x (x: one "x") -> one {}

    /// Begins a node of `Add`.
    ///
    /// ```text
    /// Add(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}
    /// ```
    add Add x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `AddN`.
    ///
    /// ```text
    /// AddN(inputs: N * T) -> (sum: T)
    ///   N: int >= 1
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64, variant}
    /// ```
    add_n AddN graph (graph: graph "", inputs: list "inputs") -> one {}

    /// Begins a node of `AddV2`.
    ///
    /// ```text
    /// AddV2(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64,
    ///     complex128}
    /// ```
    add_v2 AddV2 x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `All`.
    ///
    /// ```text
    /// All(input: bool, reduction_indices: Tidx) -> (output: bool)
    ///   keep_dims: bool = false
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    all All input (input: one "input", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `Angle`.
    ///
    /// ```text
    /// Angle(input: T) -> (output: Tout)
    ///   T: type in {complex64, complex128} = complex64
    ///   Tout: type in {float, double} = float
    /// ```
    angle Angle input (input: one "input") -> one {
        /// Sets `Tout: type in {float, double} = float`.
        tout: dtype "Tout";
    }

    /// Begins a node of `Any`.
    ///
    /// ```text
    /// Any(input: bool, reduction_indices: Tidx) -> (output: bool)
    ///   keep_dims: bool = false
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    any Any input (input: one "input", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `ApproximateEqual`.
    ///
    /// ```text
    /// ApproximateEqual(x: T, y: T) -> (z: bool)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   tolerance: float = 0.00001
    /// ```
    approximate_equal ApproximateEqual x (x: one "x", y: one "y") -> one {
        /// Sets `tolerance: float = 0.00001`.
        tolerance: float "tolerance";
    }

    /// Begins a node of `ArgMax`.
    ///
    /// ```text
    /// ArgMax(input: T, dimension: Tidx) -> (output: output_type)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8,
    ///     quint8, qint32, qint16, quint16, bool}
    ///   Tidx: type in {int16, int32, int64} = int32
    ///   output_type: type in {int16, uint16, int32, int64} = int64
    /// ```
    arg_max ArgMax input (input: one "input", dimension: one "dimension") -> one {
        /// Sets `output_type: type in {int16, uint16, int32, int64} = int64`.
        output_type: dtype "output_type";
    }

    /// Begins a node of `ArgMin`.
    ///
    /// ```text
    /// ArgMin(input: T, dimension: Tidx) -> (output: output_type)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8,
    ///     quint8, qint32, qint16, quint16, bool}
    ///   Tidx: type in {int32, int64} = int32
    ///   output_type: type in {int32, int64} = int64
    /// ```
    arg_min ArgMin input (input: one "input", dimension: one "dimension") -> one {
        /// Sets `output_type: type in {int32, int64} = int64`.
        output_type: dtype "output_type";
    }

    /// Begins a node of `Asin`.
    ///
    /// ```text
    /// Asin(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    asin Asin x (x: one "x") -> one {}

    /// Begins a node of `Asinh`.
    ///
    /// ```text
    /// Asinh(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    asinh Asinh x (x: one "x") -> one {}

    /// Begins a node of `Atan`.
    ///
    /// ```text
    /// Atan(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    atan Atan x (x: one "x") -> one {}

    /// Begins a node of `Atan2`.
    ///
    /// ```text
    /// Atan2(y: T, x: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    atan2 Atan2 y (y: one "y", x: one "x") -> one {}

    /// Begins a node of `Atanh`.
    ///
    /// ```text
    /// Atanh(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    atanh Atanh x (x: one "x") -> one {}

    /// Begins a node of `BandedTriangularSolve`.
    ///
    /// ```text
    /// BandedTriangularSolve(matrix: T, rhs: T) -> (output: T)
    ///   lower: bool = true
    ///   adjoint: bool = false
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    banded_triangular_solve BandedTriangularSolve matrix (matrix: one "matrix", rhs: one "rhs") -> one {
        /// Sets `lower: bool = true`.
        lower: bool "lower";
        /// Sets `adjoint: bool = false`.
        adjoint: bool "adjoint";
    }

    /// Begins a node of `BatchCholesky`.
    ///
    /// ```text
    /// BatchCholesky(input: T) -> (output: T)
    ///   T: type in {double, float}
    /// ```
    batch_cholesky BatchCholesky input (input: one "input") -> one {}

    /// Begins a node of `BatchCholeskyGrad`.
    ///
    /// ```text
    /// BatchCholeskyGrad(l: T, grad: T) -> (output: T)
    ///   T: type in {float, double}
    /// ```
    batch_cholesky_grad BatchCholeskyGrad l (l: one "l", grad: one "grad") -> one {}

    /// Begins a node of `BatchMatMul`.
    ///
    /// ```text
    /// BatchMatMul(x: T, y: T) -> (output: T)
    ///   T: type in {bfloat16, half, float, double, int32, int64, complex64, complex128}
    ///   adj_x: bool = false
    ///   adj_y: bool = false
    ///   grad_x: bool = false
    ///   grad_y: bool = false
    /// ```
    batch_mat_mul BatchMatMul x (x: one "x", y: one "y") -> one {
        /// Sets `adj_x: bool = false`.
        adj_x: bool "adj_x";
        /// Sets `adj_y: bool = false`.
        adj_y: bool "adj_y";
        /// Sets `grad_x: bool = false`.
        grad_x: bool "grad_x";
        /// Sets `grad_y: bool = false`.
        grad_y: bool "grad_y";
    }

    /// Begins a node of `BatchMatMulV2`.
    ///
    /// ```text
    /// BatchMatMulV2(x: T, y: T) -> (output: T)
    ///   T: type in {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64,
    ///     complex128}
    ///   adj_x: bool = false
    ///   adj_y: bool = false
    ///   grad_x: bool = false
    ///   grad_y: bool = false
    /// ```
    batch_mat_mul_v2 BatchMatMulV2 x (x: one "x", y: one "y") -> one {
        /// Sets `adj_x: bool = false`.
        adj_x: bool "adj_x";
        /// Sets `adj_y: bool = false`.
        adj_y: bool "adj_y";
        /// Sets `grad_x: bool = false`.
        grad_x: bool "grad_x";
        /// Sets `grad_y: bool = false`.
        grad_y: bool "grad_y";
    }

    /// Begins a node of `BatchMatMulV3`.
    ///
    /// ```text
    /// BatchMatMulV3(x: Ta, y: Tb) -> (output: Tout)
    ///   Ta: type in {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}
    ///   Tb: type in {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}
    ///   Tout: type in {bfloat16, half, float, double, int16, int32, int64, complex64, complex128}
    ///   adj_x: bool = false
    ///   adj_y: bool = false
    ///   grad_x: bool = false
    ///   grad_y: bool = false
    /// ```
    batch_mat_mul_v3 BatchMatMulV3 x (x: one "x", y: one "y", tout: dtype "Tout") -> one {
        /// Sets `adj_x: bool = false`.
        adj_x: bool "adj_x";
        /// Sets `adj_y: bool = false`.
        adj_y: bool "adj_y";
        /// Sets `grad_x: bool = false`.
        grad_x: bool "grad_x";
        /// Sets `grad_y: bool = false`.
        grad_y: bool "grad_y";
    }

    /// Begins a node of `BatchMatrixDeterminant`.
    ///
    /// ```text
    /// BatchMatrixDeterminant(input: T) -> (output: T)
    ///   T: type in {float, double, complex64, complex128}
    /// ```
    batch_matrix_determinant BatchMatrixDeterminant input (input: one "input") -> one {}

    /// Begins a node of `BatchMatrixInverse`.
    ///
    /// ```text
    /// BatchMatrixInverse(input: T) -> (output: T)
    ///   adjoint: bool = false
    ///   T: type in {double, float}
    /// ```
    batch_matrix_inverse BatchMatrixInverse input (input: one "input") -> one {
        /// Sets `adjoint: bool = false`.
        adjoint: bool "adjoint";
    }

    /// Begins a node of `BatchMatrixSolve`.
    ///
    /// ```text
    /// BatchMatrixSolve(matrix: T, rhs: T) -> (output: T)
    ///   adjoint: bool = false
    ///   T: type in {double, float}
    /// ```
    batch_matrix_solve BatchMatrixSolve matrix (matrix: one "matrix", rhs: one "rhs") -> one {
        /// Sets `adjoint: bool = false`.
        adjoint: bool "adjoint";
    }

    /// Begins a node of `BatchMatrixSolveLs`.
    ///
    /// ```text
    /// BatchMatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> (output: T)
    ///   T: type in {double, float}
    ///   fast: bool = true
    /// ```
    batch_matrix_solve_ls BatchMatrixSolveLs matrix (matrix: one "matrix", rhs: one "rhs", l2_regularizer: one "l2_regularizer") -> one {
        /// Sets `fast: bool = true`.
        fast: bool "fast";
    }

    /// Begins a node of `BatchMatrixTriangularSolve`.
    ///
    /// ```text
    /// BatchMatrixTriangularSolve(matrix: T, rhs: T) -> (output: T)
    ///   lower: bool = true
    ///   adjoint: bool = false
    ///   T: type in {double, float}
    /// ```
    batch_matrix_triangular_solve BatchMatrixTriangularSolve matrix (matrix: one "matrix", rhs: one "rhs") -> one {
        /// Sets `lower: bool = true`.
        lower: bool "lower";
        /// Sets `adjoint: bool = false`.
        adjoint: bool "adjoint";
    }

    /// Begins a node of `BatchSelfAdjointEig`.
    ///
    /// ```text
    /// BatchSelfAdjointEig(input: T) -> (output: T)
    ///   T: type in {double, float}
    /// ```
    batch_self_adjoint_eig BatchSelfAdjointEig input (input: one "input") -> one {}

    /// Begins a node of `BatchSelfAdjointEigV2`.
    ///
    /// ```text
    /// BatchSelfAdjointEigV2(input: T) -> (e: T, v: T)
    ///   compute_v: bool = true
    ///   T: type in {double, float}
    /// ```
    batch_self_adjoint_eig_v2 BatchSelfAdjointEigV2 input (input: one "input") -> (BatchSelfAdjointEigV2Outputs e: one, v: one) {
        /// Sets `compute_v: bool = true`.
        compute_v: bool "compute_v";
    }

    /// Begins a node of `BatchSvd`.
    ///
    /// ```text
    /// BatchSvd(input: T) -> (s: T, u: T, v: T)
    ///   compute_uv: bool = true
    ///   full_matrices: bool = false
    ///   T: type in {double, float, complex64, complex128}
    /// ```
    batch_svd BatchSvd input (input: one "input") -> (BatchSvdOutputs s: one, u: one, v: one) {
        /// Sets `compute_uv: bool = true`.
        compute_uv: bool "compute_uv";
        /// Sets `full_matrices: bool = false`.
        full_matrices: bool "full_matrices";
    }

    /// Begins a node of `BesselI0`.
    ///
    /// ```text
    /// BesselI0(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_i0 BesselI0 x (x: one "x") -> one {}

    /// Begins a node of `BesselI0e`.
    ///
    /// ```text
    /// BesselI0e(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_i0e BesselI0e x (x: one "x") -> one {}

    /// Begins a node of `BesselI1`.
    ///
    /// ```text
    /// BesselI1(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_i1 BesselI1 x (x: one "x") -> one {}

    /// Begins a node of `BesselI1e`.
    ///
    /// ```text
    /// BesselI1e(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_i1e BesselI1e x (x: one "x") -> one {}

    /// Begins a node of `BesselJ0`.
    ///
    /// ```text
    /// BesselJ0(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_j0 BesselJ0 x (x: one "x") -> one {}

    /// Begins a node of `BesselJ1`.
    ///
    /// ```text
    /// BesselJ1(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_j1 BesselJ1 x (x: one "x") -> one {}

    /// Begins a node of `BesselK0`.
    ///
    /// ```text
    /// BesselK0(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_k0 BesselK0 x (x: one "x") -> one {}

    /// Begins a node of `BesselK0e`.
    ///
    /// ```text
    /// BesselK0e(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_k0e BesselK0e x (x: one "x") -> one {}

    /// Begins a node of `BesselK1`.
    ///
    /// ```text
    /// BesselK1(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_k1 BesselK1 x (x: one "x") -> one {}

    /// Begins a node of `BesselK1e`.
    ///
    /// ```text
    /// BesselK1e(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_k1e BesselK1e x (x: one "x") -> one {}

    /// Begins a node of `BesselY0`.
    ///
    /// ```text
    /// BesselY0(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_y0 BesselY0 x (x: one "x") -> one {}

    /// Begins a node of `BesselY1`.
    ///
    /// ```text
    /// BesselY1(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    bessel_y1 BesselY1 x (x: one "x") -> one {}

    /// Begins a node of `Betainc`.
    ///
    /// ```text
    /// Betainc(a: T, b: T, x: T) -> (z: T)
    ///   T: type in {float, double}
    /// ```
    betainc Betainc a (a: one "a", b: one "b", x: one "x") -> one {}

    /// Begins a node of `Bincount`.
    ///
    /// ```text
    /// Bincount(arr: int32, size: int32, weights: T) -> (bins: T)
    ///   T: type in {int32, int64, float, double}
    /// ```
    bincount Bincount arr (arr: one "arr", size: one "size", weights: one "weights") -> one {}

    /// Begins a node of `BitwiseAnd`.
    ///
    /// ```text
    /// BitwiseAnd(x: T, y: T) -> (z: T)
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
    /// ```
    bitwise_and BitwiseAnd x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `BitwiseOr`.
    ///
    /// ```text
    /// BitwiseOr(x: T, y: T) -> (z: T)
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
    /// ```
    bitwise_or BitwiseOr x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `BitwiseXor`.
    ///
    /// ```text
    /// BitwiseXor(x: T, y: T) -> (z: T)
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
    /// ```
    bitwise_xor BitwiseXor x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Bucketize`.
    ///
    /// ```text
    /// Bucketize(input: T) -> (output: int32)
    ///   T: type in {int32, int64, float, double}
    ///   boundaries: list(float)
    /// ```
    bucketize Bucketize input (input: one "input", boundaries: floats "boundaries") -> one {}

    /// Begins a node of `Cast`.
    ///
    /// ```text
    /// Cast(x: SrcT) -> (y: DstT)
    ///   SrcT: type
    ///   DstT: type
    ///   Truncate: bool = false
    /// ```
    cast Cast x (x: one "x", dst_t: dtype "DstT") -> one {
        /// Sets `Truncate: bool = false`.
        truncate: bool "Truncate";
    }

    /// Begins a node of `Ceil`.
    ///
    /// ```text
    /// Ceil(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    ceil Ceil x (x: one "x") -> one {}

    /// Begins a node of `Cholesky`.
    ///
    /// ```text
    /// Cholesky(input: T) -> (output: T)
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    cholesky Cholesky input (input: one "input") -> one {}

    /// Begins a node of `CholeskyGrad`.
    ///
    /// ```text
    /// CholeskyGrad(l: T, grad: T) -> (output: T)
    ///   T: type in {half, float, double}
    /// ```
    cholesky_grad CholeskyGrad l (l: one "l", grad: one "grad") -> one {}

    /// Begins a node of `ClipByValue`.
    ///
    /// ```text
    /// ClipByValue(t: T, clip_value_min: T, clip_value_max: T) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    /// ```
    clip_by_value ClipByValue t (t: one "t", clip_value_min: one "clip_value_min", clip_value_max: one "clip_value_max") -> one {}

    /// Begins a node of `Complex`.
    ///
    /// ```text
    /// Complex(real: T, imag: T) -> (out: Tout)
    ///   T: type in {float, double} = float
    ///   Tout: type in {complex64, complex128} = complex64
    /// ```
    complex Complex real (real: one "real", imag: one "imag") -> one {
        /// Sets `Tout: type in {complex64, complex128} = complex64`.
        tout: dtype "Tout";
    }

    /// Begins a node of `ComplexAbs`.
    ///
    /// ```text
    /// ComplexAbs(x: T) -> (y: Tout)
    ///   T: type in {complex64, complex128} = complex64
    ///   Tout: type in {float, double} = float
    /// ```
    complex_abs ComplexAbs x (x: one "x") -> one {
        /// Sets `Tout: type in {float, double} = float`.
        tout: dtype "Tout";
    }

    /// Begins a node of `Conj`.
    ///
    /// ```text
    /// Conj(input: T) -> (output: T)
    ///   T: type in {complex64, complex128, variant} = complex64
    /// ```
    conj Conj input (input: one "input") -> one {}

    /// Begins a node of `Cos`.
    ///
    /// ```text
    /// Cos(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    cos Cos x (x: one "x") -> one {}

    /// Begins a node of `Cosh`.
    ///
    /// ```text
    /// Cosh(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    cosh Cosh x (x: one "x") -> one {}

    /// Begins a node of `Cross`.
    ///
    /// ```text
    /// Cross(a: T, b: T) -> (product: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    cross Cross a (a: one "a", b: one "b") -> one {}

    /// Begins a node of `Cumprod`.
    ///
    /// ```text
    /// Cumprod(x: T, axis: Tidx) -> (out: T)
    ///   exclusive: bool = false
    ///   reverse: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    cumprod Cumprod x (x: one "x", axis: one "axis") -> one {
        /// Sets `exclusive: bool = false`.
        exclusive: bool "exclusive";
        /// Sets `reverse: bool = false`.
        reverse: bool "reverse";
    }

    /// Begins a node of `Cumsum`.
    ///
    /// ```text
    /// Cumsum(x: T, axis: Tidx) -> (out: T)
    ///   exclusive: bool = false
    ///   reverse: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    cumsum Cumsum x (x: one "x", axis: one "axis") -> one {
        /// Sets `exclusive: bool = false`.
        exclusive: bool "exclusive";
        /// Sets `reverse: bool = false`.
        reverse: bool "reverse";
    }

    /// Begins a node of `CumulativeLogsumexp`.
    ///
    /// ```text
    /// CumulativeLogsumexp(x: T, axis: Tidx) -> (out: T)
    ///   exclusive: bool = false
    ///   reverse: bool = false
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    cumulative_logsumexp CumulativeLogsumexp x (x: one "x", axis: one "axis") -> one {
        /// Sets `exclusive: bool = false`.
        exclusive: bool "exclusive";
        /// Sets `reverse: bool = false`.
        reverse: bool "reverse";
    }

    /// Begins a node of `Dawsn`.
    ///
    /// ```text
    /// Dawsn(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    dawsn Dawsn x (x: one "x") -> one {}

    /// Begins a node of `DenseBincount`.
    ///
    /// ```text
    /// DenseBincount(input: Tidx, size: Tidx, weights: T) -> (output: T)
    ///   Tidx: type in {int32, int64}
    ///   T: type in {int32, int64, float, double}
    ///   binary_output: bool = false
    /// ```
    dense_bincount DenseBincount input (input: one "input", size: one "size", weights: one "weights") -> one {
        /// Sets `binary_output: bool = false`.
        binary_output: bool "binary_output";
    }

    /// Begins a node of `Dequantize`.
    ///
    /// ```text
    /// Dequantize(input: T, min_range: float, max_range: float) -> (output: dtype)
    ///   T: type in {qint8, quint8, qint32, qint16, quint16}
    ///   mode: string in ["MIN_COMBINED", "MIN_FIRST", "SCALED"] = 'MIN_COMBINED'
    ///   narrow_range: bool = false
    ///   axis: int = -1
    ///   dtype: type in {bfloat16, float} = float
    /// ```
    dequantize Dequantize input (input: one "input", min_range: one "min_range", max_range: one "max_range") -> one {
        /// Sets `mode: string in ["MIN_COMBINED", "MIN_FIRST", "SCALED"] = 'MIN_COMBINED'`.
        mode: string "mode";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
        /// Sets `axis: int = -1`.
        axis: int "axis";
        /// Sets `dtype: type in {bfloat16, float} = float`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `Digamma`.
    ///
    /// ```text
    /// Digamma(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    digamma Digamma x (x: one "x") -> one {}

    /// Begins a node of `Div`.
    ///
    /// ```text
    /// Div(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64,
    ///     complex128}
    /// ```
    div Div x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `DivNoNan`.
    ///
    /// ```text
    /// DivNoNan(x: T, y: T) -> (z: T)
    ///   T: type in {half, float, bfloat16, double, complex64, complex128}
    /// ```
    div_no_nan DivNoNan x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Eig`.
    ///
    /// ```text
    /// Eig(input: T) -> (e: Tout, v: Tout)
    ///   compute_v: bool = true
    ///   T: type in {float, double, complex64, complex128}
    ///   Tout: type in {complex64, complex128}
    /// ```
    eig Eig input (input: one "input", tout: dtype "Tout") -> (EigOutputs e: one, v: one) {
        /// Sets `compute_v: bool = true`.
        compute_v: bool "compute_v";
    }

    /// Begins a node of `Einsum`.
    ///
    /// ```text
    /// Einsum(inputs: N * T) -> (output: T)
    ///   equation: string
    ///   N: int >= 1
    ///   T: type
    /// ```
    einsum Einsum graph (graph: graph "", inputs: list "inputs", equation: string "equation") -> one {}

    /// Begins a node of `Equal`.
    ///
    /// ```text
    /// Equal(x: T, y: T) -> (z: bool)
    ///   T: type
    ///   incompatible_shape_error: bool = true
    /// ```
    equal Equal x (x: one "x", y: one "y") -> one {
        /// Sets `incompatible_shape_error: bool = true`.
        incompatible_shape_error: bool "incompatible_shape_error";
    }

    /// Begins a node of `Erf`.
    ///
    /// ```text
    /// Erf(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    erf Erf x (x: one "x") -> one {}

    /// Begins a node of `Erfc`.
    ///
    /// ```text
    /// Erfc(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    erfc Erfc x (x: one "x") -> one {}

    /// Begins a node of `Erfinv`.
    ///
    /// ```text
    /// Erfinv(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    erfinv Erfinv x (x: one "x") -> one {}

    /// Begins a node of `EuclideanNorm`.
    ///
    /// ```text
    /// EuclideanNorm(input: T, reduction_indices: Tidx) -> (output: T)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    euclidean_norm EuclideanNorm input (input: one "input", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `Exp`.
    ///
    /// ```text
    /// Exp(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    exp Exp x (x: one "x") -> one {}

    /// Begins a node of `Expint`.
    ///
    /// ```text
    /// Expint(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    expint Expint x (x: one "x") -> one {}

    /// Begins a node of `Expm1`.
    ///
    /// ```text
    /// Expm1(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    expm1 Expm1 x (x: one "x") -> one {}

    /// Begins a node of `FFT`.
    ///
    /// ```text
    /// FFT(input: Tcomplex) -> (output: Tcomplex)
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    fft FFT input (input: one "input") -> one {}

    /// Begins a node of `FFT2D`.
    ///
    /// ```text
    /// FFT2D(input: Tcomplex) -> (output: Tcomplex)
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    fft2d FFT2D input (input: one "input") -> one {}

    /// Begins a node of `FFT3D`.
    ///
    /// ```text
    /// FFT3D(input: Tcomplex) -> (output: Tcomplex)
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    fft3d FFT3D input (input: one "input") -> one {}

    /// Begins a node of `FakeQuantWithMinMaxArgs`.
    ///
    /// ```text
    /// FakeQuantWithMinMaxArgs(inputs: float) -> (outputs: float)
    ///   min: float = -6
    ///   max: float = 6
    ///   num_bits: int = 8
    ///   narrow_range: bool = false
    /// ```
    fake_quant_with_min_max_args FakeQuantWithMinMaxArgs inputs (inputs: one "inputs") -> one {
        /// Sets `min: float = -6`.
        min: float "min";
        /// Sets `max: float = 6`.
        max: float "max";
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
    }

    /// Begins a node of `FakeQuantWithMinMaxArgsGradient`.
    ///
    /// ```text
    /// FakeQuantWithMinMaxArgsGradient(gradients: float, inputs: float) -> (backprops: float)
    ///   min: float = -6
    ///   max: float = 6
    ///   num_bits: int = 8
    ///   narrow_range: bool = false
    /// ```
    fake_quant_with_min_max_args_gradient FakeQuantWithMinMaxArgsGradient gradients (gradients: one "gradients", inputs: one "inputs") -> one {
        /// Sets `min: float = -6`.
        min: float "min";
        /// Sets `max: float = 6`.
        max: float "max";
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
    }

    /// Begins a node of `FakeQuantWithMinMaxVars`.
    ///
    /// ```text
    /// FakeQuantWithMinMaxVars(inputs: float, min: float, max: float) -> (outputs: float)
    ///   num_bits: int = 8
    ///   narrow_range: bool = false
    /// ```
    fake_quant_with_min_max_vars FakeQuantWithMinMaxVars inputs (inputs: one "inputs", min: one "min", max: one "max") -> one {
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
    }

    /// Begins a node of `FakeQuantWithMinMaxVarsGradient`.
    ///
    /// ```text
    /// FakeQuantWithMinMaxVarsGradient(gradients: float, inputs: float, min: float, max: float) ->
    ///     (backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float)
    ///   num_bits: int = 8
    ///   narrow_range: bool = false
    /// ```
    fake_quant_with_min_max_vars_gradient FakeQuantWithMinMaxVarsGradient gradients (gradients: one "gradients", inputs: one "inputs", min: one "min", max: one "max") -> (FakeQuantWithMinMaxVarsGradientOutputs backprops_wrt_input: one, backprop_wrt_min: one, backprop_wrt_max: one) {
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
    }

    /// Begins a node of `FakeQuantWithMinMaxVarsPerChannel`.
    ///
    /// ```text
    /// FakeQuantWithMinMaxVarsPerChannel(inputs: float, min: float, max: float) -> (outputs: float)
    ///   num_bits: int = 8
    ///   narrow_range: bool = false
    /// ```
    fake_quant_with_min_max_vars_per_channel FakeQuantWithMinMaxVarsPerChannel inputs (inputs: one "inputs", min: one "min", max: one "max") -> one {
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
    }

    /// Begins a node of `FakeQuantWithMinMaxVarsPerChannelGradient`.
    ///
    /// ```text
    /// FakeQuantWithMinMaxVarsPerChannelGradient(gradients: float, inputs: float, min: float, max: float) ->
    ///     (backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float)
    ///   num_bits: int = 8
    ///   narrow_range: bool = false
    /// ```
    fake_quant_with_min_max_vars_per_channel_gradient FakeQuantWithMinMaxVarsPerChannelGradient gradients (gradients: one "gradients", inputs: one "inputs", min: one "min", max: one "max") -> (FakeQuantWithMinMaxVarsPerChannelGradientOutputs backprops_wrt_input: one, backprop_wrt_min: one, backprop_wrt_max: one) {
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
    }

    /// Begins a node of `Floor`.
    ///
    /// ```text
    /// Floor(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    floor Floor x (x: one "x") -> one {}

    /// Begins a node of `FloorDiv`.
    ///
    /// ```text
    /// FloorDiv(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64,
    ///     complex128}
    /// ```
    floor_div FloorDiv x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `FloorMod`.
    ///
    /// ```text
    /// FloorMod(x: T, y: T) -> (z: T)
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}
    /// ```
    floor_mod FloorMod x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `FresnelCos`.
    ///
    /// ```text
    /// FresnelCos(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    fresnel_cos FresnelCos x (x: one "x") -> one {}

    /// Begins a node of `FresnelSin`.
    ///
    /// ```text
    /// FresnelSin(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    fresnel_sin FresnelSin x (x: one "x") -> one {}

    /// Begins a node of `Greater`.
    ///
    /// ```text
    /// Greater(x: T, y: T) -> (z: bool)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    greater Greater x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `GreaterEqual`.
    ///
    /// ```text
    /// GreaterEqual(x: T, y: T) -> (z: bool)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    greater_equal GreaterEqual x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `HistogramFixedWidth`.
    ///
    /// ```text
    /// HistogramFixedWidth(values: T, value_range: T, nbins: int32) -> (out: dtype)
    ///   T: type in {int32, int64, float, double}
    ///   dtype: type in {int32, int64} = int32
    /// ```
    histogram_fixed_width HistogramFixedWidth values (values: one "values", value_range: one "value_range", nbins: one "nbins") -> one {
        /// Sets `dtype: type in {int32, int64} = int32`.
        dtype: dtype "dtype";
    }

    /// Begins a node of `IFFT`.
    ///
    /// ```text
    /// IFFT(input: Tcomplex) -> (output: Tcomplex)
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    ifft IFFT input (input: one "input") -> one {}

    /// Begins a node of `IFFT2D`.
    ///
    /// ```text
    /// IFFT2D(input: Tcomplex) -> (output: Tcomplex)
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    ifft2d IFFT2D input (input: one "input") -> one {}

    /// Begins a node of `IFFT3D`.
    ///
    /// ```text
    /// IFFT3D(input: Tcomplex) -> (output: Tcomplex)
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    ifft3d IFFT3D input (input: one "input") -> one {}

    /// Begins a node of `IRFFT`.
    ///
    /// ```text
    /// IRFFT(input: Tcomplex, fft_length: int32) -> (output: Treal)
    ///   Treal: type in {float, double} = float
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    irfft IRFFT input (input: one "input", fft_length: one "fft_length") -> one {
        /// Sets `Treal: type in {float, double} = float`.
        treal: dtype "Treal";
    }

    /// Begins a node of `IRFFT2D`.
    ///
    /// ```text
    /// IRFFT2D(input: Tcomplex, fft_length: int32) -> (output: Treal)
    ///   Treal: type in {float, double} = float
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    irfft2d IRFFT2D input (input: one "input", fft_length: one "fft_length") -> one {
        /// Sets `Treal: type in {float, double} = float`.
        treal: dtype "Treal";
    }

    /// Begins a node of `IRFFT3D`.
    ///
    /// ```text
    /// IRFFT3D(input: Tcomplex, fft_length: int32) -> (output: Treal)
    ///   Treal: type in {float, double} = float
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    irfft3d IRFFT3D input (input: one "input", fft_length: one "fft_length") -> one {
        /// Sets `Treal: type in {float, double} = float`.
        treal: dtype "Treal";
    }

    /// Begins a node of `Igamma`.
    ///
    /// ```text
    /// Igamma(a: T, x: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    igamma Igamma a (a: one "a", x: one "x") -> one {}

    /// Begins a node of `IgammaGradA`.
    ///
    /// ```text
    /// IgammaGradA(a: T, x: T) -> (z: T)
    ///   T: type in {float, double}
    /// ```
    igamma_grad_a IgammaGradA a (a: one "a", x: one "x") -> one {}

    /// Begins a node of `Igammac`.
    ///
    /// ```text
    /// Igammac(a: T, x: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    igammac Igammac a (a: one "a", x: one "x") -> one {}

    /// Begins a node of `Imag`.
    ///
    /// ```text
    /// Imag(input: T) -> (output: Tout)
    ///   T: type in {complex64, complex128} = complex64
    ///   Tout: type in {float, double} = float
    /// ```
    imag Imag input (input: one "input") -> one {
        /// Sets `Tout: type in {float, double} = float`.
        tout: dtype "Tout";
    }

    /// Begins a node of `Inv`.
    ///
    /// ```text
    /// Inv(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
    /// ```
    inv Inv x (x: one "x") -> one {}

    /// Begins a node of `InvGrad`.
    ///
    /// ```text
    /// InvGrad(y: T, dy: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    inv_grad InvGrad y (y: one "y", dy: one "dy") -> one {}

    /// Begins a node of `Invert`.
    ///
    /// ```text
    /// Invert(x: T) -> (y: T)
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
    /// ```
    invert Invert x (x: one "x") -> one {}

    /// Begins a node of `IsFinite`.
    ///
    /// ```text
    /// IsFinite(x: T) -> (y: bool)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    is_finite IsFinite x (x: one "x") -> one {}

    /// Begins a node of `IsInf`.
    ///
    /// ```text
    /// IsInf(x: T) -> (y: bool)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    is_inf IsInf x (x: one "x") -> one {}

    /// Begins a node of `IsNan`.
    ///
    /// ```text
    /// IsNan(x: T) -> (y: bool)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    is_nan IsNan x (x: one "x") -> one {}

    /// Begins a node of `LeftShift`.
    ///
    /// ```text
    /// LeftShift(x: T, y: T) -> (z: T)
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
    /// ```
    left_shift LeftShift x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Less`.
    ///
    /// ```text
    /// Less(x: T, y: T) -> (z: bool)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    less Less x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `LessEqual`.
    ///
    /// ```text
    /// LessEqual(x: T, y: T) -> (z: bool)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    /// ```
    less_equal LessEqual x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Lgamma`.
    ///
    /// ```text
    /// Lgamma(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    lgamma Lgamma x (x: one "x") -> one {}

    /// Begins a node of `Log`.
    ///
    /// ```text
    /// Log(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    log Log x (x: one "x") -> one {}

    /// Begins a node of `Log1p`.
    ///
    /// ```text
    /// Log1p(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    log1p Log1p x (x: one "x") -> one {}

    /// Begins a node of `LogMatrixDeterminant`.
    ///
    /// ```text
    /// LogMatrixDeterminant(input: T) -> (sign: T, log_abs_determinant: T)
    ///   T: type in {half, float, double, complex64, complex128}
    /// ```
    log_matrix_determinant LogMatrixDeterminant input (input: one "input") -> (LogMatrixDeterminantOutputs sign: one, log_abs_determinant: one) {}

    /// Begins a node of `LogicalAnd`.
    ///
    /// ```text
    /// LogicalAnd(x: bool, y: bool) -> (z: bool)
    /// ```
    logical_and LogicalAnd x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `LogicalNot`.
    ///
    /// ```text
    /// LogicalNot(x: bool) -> (y: bool)
    /// ```
    logical_not LogicalNot x (x: one "x") -> one {}

    /// Begins a node of `LogicalOr`.
    ///
    /// ```text
    /// LogicalOr(x: bool, y: bool) -> (z: bool)
    /// ```
    logical_or LogicalOr x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `LowerBound`.
    ///
    /// ```text
    /// LowerBound(sorted_inputs: T, values: T) -> (output: out_type)
    ///   T: type
    ///   out_type: type in {int32, int64} = int32
    /// ```
    lower_bound LowerBound sorted_inputs (sorted_inputs: one "sorted_inputs", values: one "values") -> one {
        /// Sets `out_type: type in {int32, int64} = int32`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `Lu`.
    ///
    /// ```text
    /// Lu(input: T) -> (lu: T, p: output_idx_type)
    ///   T: type in {double, float, half, complex64, complex128}
    ///   output_idx_type: type in {int32, int64} = int32
    /// ```
    lu Lu input (input: one "input") -> (LuOutputs lu: one, p: one) {
        /// Sets `output_idx_type: type in {int32, int64} = int32`.
        output_idx_type: dtype "output_idx_type";
    }

    /// Begins a node of `MatMul`.
    ///
    /// ```text
    /// MatMul(a: T, b: T) -> (product: T)
    ///   transpose_a: bool = false
    ///   transpose_b: bool = false
    ///   T: type in {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}
    ///   grad_a: bool = false
    ///   grad_b: bool = false
    /// ```
    mat_mul MatMul a (a: one "a", b: one "b") -> one {
        /// Sets `transpose_a: bool = false`.
        transpose_a: bool "transpose_a";
        /// Sets `transpose_b: bool = false`.
        transpose_b: bool "transpose_b";
        /// Sets `grad_a: bool = false`.
        grad_a: bool "grad_a";
        /// Sets `grad_b: bool = false`.
        grad_b: bool "grad_b";
    }

    /// Begins a node of `MatrixDeterminant`.
    ///
    /// ```text
    /// MatrixDeterminant(input: T) -> (output: T)
    ///   T: type in {half, float, double, complex64, complex128}
    /// ```
    matrix_determinant MatrixDeterminant input (input: one "input") -> one {}

    /// Begins a node of `MatrixExponential`.
    ///
    /// ```text
    /// MatrixExponential(input: T) -> (output: T)
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    matrix_exponential MatrixExponential input (input: one "input") -> one {}

    /// Begins a node of `MatrixInverse`.
    ///
    /// ```text
    /// MatrixInverse(input: T) -> (output: T)
    ///   adjoint: bool = false
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    matrix_inverse MatrixInverse input (input: one "input") -> one {
        /// Sets `adjoint: bool = false`.
        adjoint: bool "adjoint";
    }

    /// Begins a node of `MatrixLogarithm`.
    ///
    /// ```text
    /// MatrixLogarithm(input: T) -> (output: T)
    ///   T: type in {complex64, complex128}
    /// ```
    matrix_logarithm MatrixLogarithm input (input: one "input") -> one {}

    /// Begins a node of `MatrixSolve`.
    ///
    /// ```text
    /// MatrixSolve(matrix: T, rhs: T) -> (output: T)
    ///   adjoint: bool = false
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    matrix_solve MatrixSolve matrix (matrix: one "matrix", rhs: one "rhs") -> one {
        /// Sets `adjoint: bool = false`.
        adjoint: bool "adjoint";
    }

    /// Begins a node of `MatrixSolveLs`.
    ///
    /// ```text
    /// MatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> (output: T)
    ///   T: type in {double, float, half, complex64, complex128}
    ///   fast: bool = true
    /// ```
    matrix_solve_ls MatrixSolveLs matrix (matrix: one "matrix", rhs: one "rhs", l2_regularizer: one "l2_regularizer") -> one {
        /// Sets `fast: bool = true`.
        fast: bool "fast";
    }

    /// Begins a node of `MatrixSquareRoot`.
    ///
    /// ```text
    /// MatrixSquareRoot(input: T) -> (output: T)
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    matrix_square_root MatrixSquareRoot input (input: one "input") -> one {}

    /// Begins a node of `MatrixTriangularSolve`.
    ///
    /// ```text
    /// MatrixTriangularSolve(matrix: T, rhs: T) -> (output: T)
    ///   lower: bool = true
    ///   adjoint: bool = false
    ///   T: type in {bfloat16, double, float, half, complex64, complex128}
    /// ```
    matrix_triangular_solve MatrixTriangularSolve matrix (matrix: one "matrix", rhs: one "rhs") -> one {
        /// Sets `lower: bool = true`.
        lower: bool "lower";
        /// Sets `adjoint: bool = false`.
        adjoint: bool "adjoint";
    }

    /// Begins a node of `Max`.
    ///
    /// ```text
    /// Max(input: T, reduction_indices: Tidx) -> (output: T)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8,
    ///     quint8, qint32, qint16, quint16}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    max Max input (input: one "input", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `Maximum`.
    ///
    /// ```text
    /// Maximum(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}
    /// ```
    maximum Maximum x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Mean`.
    ///
    /// ```text
    /// Mean(input: T, reduction_indices: Tidx) -> (output: T)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    mean Mean input (input: one "input", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `Min`.
    ///
    /// ```text
    /// Min(input: T, reduction_indices: Tidx) -> (output: T)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8,
    ///     quint8, qint32, qint16, quint16}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    min Min input (input: one "input", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `Minimum`.
    ///
    /// ```text
    /// Minimum(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}
    /// ```
    minimum Minimum x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Mod`.
    ///
    /// ```text
    /// Mod(x: T, y: T) -> (z: T)
    ///   T: type in {int32, int64, half, half, bfloat16, float, double}
    /// ```
    mod_ Mod x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Mul`.
    ///
    /// ```text
    /// Mul(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64,
    ///     complex128}
    /// ```
    mul Mul x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `MulNoNan`.
    ///
    /// ```text
    /// MulNoNan(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    mul_no_nan MulNoNan x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Ndtri`.
    ///
    /// ```text
    /// Ndtri(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    ndtri Ndtri x (x: one "x") -> one {}

    /// Begins a node of `Neg`.
    ///
    /// ```text
    /// Neg(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
    /// ```
    neg Neg x (x: one "x") -> one {}

    /// Begins a node of `NextAfter`.
    ///
    /// ```text
    /// NextAfter(x1: T, x2: T) -> (output: T)
    ///   T: type in {double, float} = float
    /// ```
    next_after NextAfter x1 (x1: one "x1", x2: one "x2") -> one {}

    /// Begins a node of `NotEqual`.
    ///
    /// ```text
    /// NotEqual(x: T, y: T) -> (z: bool)
    ///   T: type
    ///   incompatible_shape_error: bool = true
    /// ```
    not_equal NotEqual x (x: one "x", y: one "y") -> one {
        /// Sets `incompatible_shape_error: bool = true`.
        incompatible_shape_error: bool "incompatible_shape_error";
    }

    /// Begins a node of `Polygamma`.
    ///
    /// ```text
    /// Polygamma(a: T, x: T) -> (z: T)
    ///   T: type in {float, double}
    /// ```
    polygamma Polygamma a (a: one "a", x: one "x") -> one {}

    /// Begins a node of `PopulationCount`.
    ///
    /// ```text
    /// PopulationCount(x: T) -> (y: uint8)
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
    /// ```
    population_count PopulationCount x (x: one "x") -> one {}

    /// Begins a node of `Pow`.
    ///
    /// ```text
    /// Pow(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}
    /// ```
    pow Pow x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Prod`.
    ///
    /// ```text
    /// Prod(input: T, reduction_indices: Tidx) -> (output: T)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    prod Prod input (input: one "input", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `Qr`.
    ///
    /// ```text
    /// Qr(input: T) -> (q: T, r: T)
    ///   full_matrices: bool = false
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    qr Qr input (input: one "input") -> (QrOutputs q: one, r: one) {
        /// Sets `full_matrices: bool = false`.
        full_matrices: bool "full_matrices";
    }

    /// Begins a node of `QuantizeAndDequantize`.
    ///
    /// ```text
    /// QuantizeAndDequantize(input: T) -> (output: T)
    ///   signed_input: bool = true
    ///   num_bits: int = 8
    ///   range_given: bool = false
    ///   input_min: float = 0
    ///   input_max: float = 0
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    quantize_and_dequantize QuantizeAndDequantize input (input: one "input") -> one {
        /// Sets `signed_input: bool = true`.
        signed_input: bool "signed_input";
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `range_given: bool = false`.
        range_given: bool "range_given";
        /// Sets `input_min: float = 0`.
        input_min: float "input_min";
        /// Sets `input_max: float = 0`.
        input_max: float "input_max";
    }

    /// Begins a node of `QuantizeAndDequantizeV2`.
    ///
    /// ```text
    /// QuantizeAndDequantizeV2(input: T, input_min: T, input_max: T) -> (output: T)
    ///   signed_input: bool = true
    ///   num_bits: int = 8
    ///   range_given: bool = false
    ///   T: type in {bfloat16, half, float, double}
    ///   round_mode: string in ["HALF_TO_EVEN", "HALF_UP"] = 'HALF_TO_EVEN'
    ///   narrow_range: bool = false
    ///   axis: int = -1
    /// ```
    quantize_and_dequantize_v2 QuantizeAndDequantizeV2 input (input: one "input", input_min: one "input_min", input_max: one "input_max") -> one {
        /// Sets `signed_input: bool = true`.
        signed_input: bool "signed_input";
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `range_given: bool = false`.
        range_given: bool "range_given";
        /// Sets `round_mode: string in ["HALF_TO_EVEN", "HALF_UP"] = 'HALF_TO_EVEN'`.
        round_mode: string "round_mode";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
        /// Sets `axis: int = -1`.
        axis: int "axis";
    }

    /// Begins a node of `QuantizeAndDequantizeV3`.
    ///
    /// ```text
    /// QuantizeAndDequantizeV3(input: T, input_min: T, input_max: T, num_bits: int32) -> (output: T)
    ///   signed_input: bool = true
    ///   range_given: bool = true
    ///   T: type in {bfloat16, half, float, double}
    ///   narrow_range: bool = false
    ///   axis: int = -1
    /// ```
    quantize_and_dequantize_v3 QuantizeAndDequantizeV3 input (input: one "input", input_min: one "input_min", input_max: one "input_max", num_bits: one "num_bits") -> one {
        /// Sets `signed_input: bool = true`.
        signed_input: bool "signed_input";
        /// Sets `range_given: bool = true`.
        range_given: bool "range_given";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
        /// Sets `axis: int = -1`.
        axis: int "axis";
    }

    /// Begins a node of `QuantizeAndDequantizeV4`.
    ///
    /// ```text
    /// QuantizeAndDequantizeV4(input: T, input_min: T, input_max: T) -> (output: T)
    ///   signed_input: bool = true
    ///   num_bits: int = 8
    ///   range_given: bool = false
    ///   T: type in {bfloat16, half, float, double}
    ///   round_mode: string in ["HALF_TO_EVEN", "HALF_UP"] = 'HALF_TO_EVEN'
    ///   narrow_range: bool = false
    ///   axis: int = -1
    /// ```
    quantize_and_dequantize_v4 QuantizeAndDequantizeV4 input (input: one "input", input_min: one "input_min", input_max: one "input_max") -> one {
        /// Sets `signed_input: bool = true`.
        signed_input: bool "signed_input";
        /// Sets `num_bits: int = 8`.
        num_bits: int "num_bits";
        /// Sets `range_given: bool = false`.
        range_given: bool "range_given";
        /// Sets `round_mode: string in ["HALF_TO_EVEN", "HALF_UP"] = 'HALF_TO_EVEN'`.
        round_mode: string "round_mode";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
        /// Sets `axis: int = -1`.
        axis: int "axis";
    }

    /// Begins a node of `QuantizeAndDequantizeV4Grad`.
    ///
    /// ```text
    /// QuantizeAndDequantizeV4Grad(gradients: T, input: T, input_min: T, input_max: T) -> (input_backprop: T,
    ///     input_min_backprop: T, input_max_backprop: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   axis: int = -1
    /// ```
    quantize_and_dequantize_v4_grad QuantizeAndDequantizeV4Grad gradients (gradients: one "gradients", input: one "input", input_min: one "input_min", input_max: one "input_max") -> (QuantizeAndDequantizeV4GradOutputs input_backprop: one, input_min_backprop: one, input_max_backprop: one) {
        /// Sets `axis: int = -1`.
        axis: int "axis";
    }

    /// Begins a node of `QuantizeDownAndShrinkRange`.
    ///
    /// ```text
    /// QuantizeDownAndShrinkRange(input: Tinput, input_min: float, input_max: float) -> (output: out_type, output_min:
    ///     float, output_max: float)
    ///   Tinput: type in {qint8, quint8, qint32, qint16, quint16}
    ///   out_type: type in {qint8, quint8, qint32, qint16, quint16}
    /// ```
    quantize_down_and_shrink_range QuantizeDownAndShrinkRange input (input: one "input", input_min: one "input_min", input_max: one "input_max", out_type: dtype "out_type") -> (QuantizeDownAndShrinkRangeOutputs output: one, output_min: one, output_max: one) {}

    /// Begins a node of `QuantizeV2`.
    ///
    /// ```text
    /// QuantizeV2(input: float, min_range: float, max_range: float) -> (output: T, output_min: float, output_max:
    ///     float)
    ///   T: type in {qint8, quint8, qint32, qint16, quint16}
    ///   mode: string in ["MIN_COMBINED", "MIN_FIRST", "SCALED"] = 'MIN_COMBINED'
    ///   round_mode: string in ["HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"] = 'HALF_AWAY_FROM_ZERO'
    ///   narrow_range: bool = false
    ///   axis: int = -1
    ///   ensure_minimum_range: float = 0.01
    /// ```
    quantize_v2 QuantizeV2 input (input: one "input", min_range: one "min_range", max_range: one "max_range", t: dtype "T") -> (QuantizeV2Outputs output: one, output_min: one, output_max: one) {
        /// Sets `mode: string in ["MIN_COMBINED", "MIN_FIRST", "SCALED"] = 'MIN_COMBINED'`.
        mode: string "mode";
        /// Sets `round_mode: string in ["HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"] = 'HALF_AWAY_FROM_ZERO'`.
        round_mode: string "round_mode";
        /// Sets `narrow_range: bool = false`.
        narrow_range: bool "narrow_range";
        /// Sets `axis: int = -1`.
        axis: int "axis";
        /// Sets `ensure_minimum_range: float = 0.01`.
        ensure_minimum_range: float "ensure_minimum_range";
    }

    /// Begins a node of `RFFT`.
    ///
    /// ```text
    /// RFFT(input: Treal, fft_length: int32) -> (output: Tcomplex)
    ///   Treal: type in {float, double} = float
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    rfft RFFT input (input: one "input", fft_length: one "fft_length") -> one {
        /// Sets `Tcomplex: type in {complex64, complex128} = complex64`.
        tcomplex: dtype "Tcomplex";
    }

    /// Begins a node of `RFFT2D`.
    ///
    /// ```text
    /// RFFT2D(input: Treal, fft_length: int32) -> (output: Tcomplex)
    ///   Treal: type in {float, double} = float
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    rfft2d RFFT2D input (input: one "input", fft_length: one "fft_length") -> one {
        /// Sets `Tcomplex: type in {complex64, complex128} = complex64`.
        tcomplex: dtype "Tcomplex";
    }

    /// Begins a node of `RFFT3D`.
    ///
    /// ```text
    /// RFFT3D(input: Treal, fft_length: int32) -> (output: Tcomplex)
    ///   Treal: type in {float, double} = float
    ///   Tcomplex: type in {complex64, complex128} = complex64
    /// ```
    rfft3d RFFT3D input (input: one "input", fft_length: one "fft_length") -> one {
        /// Sets `Tcomplex: type in {complex64, complex128} = complex64`.
        tcomplex: dtype "Tcomplex";
    }

    /// Begins a node of `RandomGammaGrad`.
    ///
    /// ```text
    /// RandomGammaGrad(alpha: T, sample: T) -> (output: T)
    ///   T: type in {float, double}
    /// ```
    random_gamma_grad RandomGammaGrad alpha (alpha: one "alpha", sample: one "sample") -> one {}

    /// Begins a node of `Real`.
    ///
    /// ```text
    /// Real(input: T) -> (output: Tout)
    ///   T: type in {complex64, complex128} = complex64
    ///   Tout: type in {float, double} = float
    /// ```
    real Real input (input: one "input") -> one {
        /// Sets `Tout: type in {float, double} = float`.
        tout: dtype "Tout";
    }

    /// Begins a node of `RealDiv`.
    ///
    /// ```text
    /// RealDiv(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64,
    ///     complex128}
    /// ```
    real_div RealDiv x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Reciprocal`.
    ///
    /// ```text
    /// Reciprocal(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
    /// ```
    reciprocal Reciprocal x (x: one "x") -> one {}

    /// Begins a node of `ReciprocalGrad`.
    ///
    /// ```text
    /// ReciprocalGrad(y: T, dy: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    reciprocal_grad ReciprocalGrad y (y: one "y", dy: one "dy") -> one {}

    /// Begins a node of `RightShift`.
    ///
    /// ```text
    /// RightShift(x: T, y: T) -> (z: T)
    ///   T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
    /// ```
    right_shift RightShift x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Rint`.
    ///
    /// ```text
    /// Rint(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    rint Rint x (x: one "x") -> one {}

    /// Begins a node of `Round`.
    ///
    /// ```text
    /// Round(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
    /// ```
    round Round x (x: one "x") -> one {}

    /// Begins a node of `Rsqrt`.
    ///
    /// ```text
    /// Rsqrt(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    rsqrt Rsqrt x (x: one "x") -> one {}

    /// Begins a node of `RsqrtGrad`.
    ///
    /// ```text
    /// RsqrtGrad(y: T, dy: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    rsqrt_grad RsqrtGrad y (y: one "y", dy: one "dy") -> one {}

    /// Begins a node of `SegmentMax`.
    ///
    /// ```text
    /// SegmentMax(data: T, segment_ids: Tindices) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    segment_max SegmentMax data (data: one "data", segment_ids: one "segment_ids") -> one {}

    /// Begins a node of `SegmentMean`.
    ///
    /// ```text
    /// SegmentMean(data: T, segment_ids: Tindices) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    segment_mean SegmentMean data (data: one "data", segment_ids: one "segment_ids") -> one {}

    /// Begins a node of `SegmentMin`.
    ///
    /// ```text
    /// SegmentMin(data: T, segment_ids: Tindices) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    segment_min SegmentMin data (data: one "data", segment_ids: one "segment_ids") -> one {}

    /// Begins a node of `SegmentProd`.
    ///
    /// ```text
    /// SegmentProd(data: T, segment_ids: Tindices) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    segment_prod SegmentProd data (data: one "data", segment_ids: one "segment_ids") -> one {}

    /// Begins a node of `SegmentSum`.
    ///
    /// ```text
    /// SegmentSum(data: T, segment_ids: Tindices) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    segment_sum SegmentSum data (data: one "data", segment_ids: one "segment_ids") -> one {}

    /// Begins a node of `SelfAdjointEig`.
    ///
    /// ```text
    /// SelfAdjointEig(input: T) -> (output: T)
    ///   T: type in {double, float, half}
    /// ```
    self_adjoint_eig SelfAdjointEig input (input: one "input") -> one {}

    /// Begins a node of `SelfAdjointEigV2`.
    ///
    /// ```text
    /// SelfAdjointEigV2(input: T) -> (e: T, v: T)
    ///   compute_v: bool = true
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    self_adjoint_eig_v2 SelfAdjointEigV2 input (input: one "input") -> (SelfAdjointEigV2Outputs e: one, v: one) {
        /// Sets `compute_v: bool = true`.
        compute_v: bool "compute_v";
    }

    /// Begins a node of `Sigmoid`.
    ///
    /// ```text
    /// Sigmoid(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    sigmoid Sigmoid x (x: one "x") -> one {}

    /// Begins a node of `SigmoidGrad`.
    ///
    /// ```text
    /// SigmoidGrad(y: T, dy: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    sigmoid_grad SigmoidGrad y (y: one "y", dy: one "dy") -> one {}

    /// Begins a node of `Sign`.
    ///
    /// ```text
    /// Sign(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
    /// ```
    sign Sign x (x: one "x") -> one {}

    /// Begins a node of `Sin`.
    ///
    /// ```text
    /// Sin(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    sin Sin x (x: one "x") -> one {}

    /// Begins a node of `Sinh`.
    ///
    /// ```text
    /// Sinh(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    sinh Sinh x (x: one "x") -> one {}

    /// Begins a node of `SparseMatMul`.
    ///
    /// ```text
    /// SparseMatMul(a: Ta, b: Tb) -> (product: float)
    ///   transpose_a: bool = false
    ///   transpose_b: bool = false
    ///   a_is_sparse: bool = false
    ///   b_is_sparse: bool = false
    ///   Ta: type in {float, bfloat16} = float
    ///   Tb: type in {float, bfloat16} = float
    /// ```
    sparse_mat_mul SparseMatMul a (a: one "a", b: one "b") -> one {
        /// Sets `transpose_a: bool = false`.
        transpose_a: bool "transpose_a";
        /// Sets `transpose_b: bool = false`.
        transpose_b: bool "transpose_b";
        /// Sets `a_is_sparse: bool = false`.
        a_is_sparse: bool "a_is_sparse";
        /// Sets `b_is_sparse: bool = false`.
        b_is_sparse: bool "b_is_sparse";
    }

    /// Begins a node of `SparseSegmentMean`.
    ///
    /// ```text
    /// SparseSegmentMean(data: T, indices: Tidx, segment_ids: Tsegmentids) -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    ///   sparse_gradient: bool = false
    /// ```
    sparse_segment_mean SparseSegmentMean data (data: one "data", indices: one "indices", segment_ids: one "segment_ids") -> one {
        /// Sets `sparse_gradient: bool = false`.
        sparse_gradient: bool "sparse_gradient";
    }

    /// Begins a node of `SparseSegmentMeanGrad`.
    ///
    /// ```text
    /// SparseSegmentMeanGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    /// ```
    sparse_segment_mean_grad SparseSegmentMeanGrad grad (grad: one "grad", indices: one "indices", segment_ids: one "segment_ids", output_dim0: one "output_dim0") -> one {}

    /// Begins a node of `SparseSegmentMeanGradV2`.
    ///
    /// ```text
    /// SparseSegmentMeanGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> (output:
    ///     T, sorted_unique_indices: Tidx)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    /// ```
    sparse_segment_mean_grad_v2 SparseSegmentMeanGradV2 grad (grad: one "grad", indices: one "indices", segment_ids: one "segment_ids", dense_output_dim0: one "dense_output_dim0") -> (SparseSegmentMeanGradV2Outputs output: one, sorted_unique_indices: one) {}

    /// Begins a node of `SparseSegmentMeanWithNumSegments`.
    ///
    /// ```text
    /// SparseSegmentMeanWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments)
    ///     -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tnumsegments: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    ///   sparse_gradient: bool = false
    /// ```
    sparse_segment_mean_with_num_segments SparseSegmentMeanWithNumSegments data (data: one "data", indices: one "indices", segment_ids: one "segment_ids", num_segments: one "num_segments") -> one {
        /// Sets `sparse_gradient: bool = false`.
        sparse_gradient: bool "sparse_gradient";
    }

    /// Begins a node of `SparseSegmentSqrtN`.
    ///
    /// ```text
    /// SparseSegmentSqrtN(data: T, indices: Tidx, segment_ids: Tsegmentids) -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    ///   sparse_gradient: bool = false
    /// ```
    sparse_segment_sqrt_n SparseSegmentSqrtN data (data: one "data", indices: one "indices", segment_ids: one "segment_ids") -> one {
        /// Sets `sparse_gradient: bool = false`.
        sparse_gradient: bool "sparse_gradient";
    }

    /// Begins a node of `SparseSegmentSqrtNGrad`.
    ///
    /// ```text
    /// SparseSegmentSqrtNGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    /// ```
    sparse_segment_sqrt_n_grad SparseSegmentSqrtNGrad grad (grad: one "grad", indices: one "indices", segment_ids: one "segment_ids", output_dim0: one "output_dim0") -> one {}

    /// Begins a node of `SparseSegmentSqrtNGradV2`.
    ///
    /// ```text
    /// SparseSegmentSqrtNGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) ->
    ///     (output: T, sorted_unique_indices: Tidx)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    /// ```
    sparse_segment_sqrt_n_grad_v2 SparseSegmentSqrtNGradV2 grad (grad: one "grad", indices: one "indices", segment_ids: one "segment_ids", dense_output_dim0: one "dense_output_dim0") -> (SparseSegmentSqrtNGradV2Outputs output: one, sorted_unique_indices: one) {}

    /// Begins a node of `SparseSegmentSqrtNWithNumSegments`.
    ///
    /// ```text
    /// SparseSegmentSqrtNWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments)
    ///     -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tnumsegments: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    ///   sparse_gradient: bool = false
    /// ```
    sparse_segment_sqrt_n_with_num_segments SparseSegmentSqrtNWithNumSegments data (data: one "data", indices: one "indices", segment_ids: one "segment_ids", num_segments: one "num_segments") -> one {
        /// Sets `sparse_gradient: bool = false`.
        sparse_gradient: bool "sparse_gradient";
    }

    /// Begins a node of `SparseSegmentSum`.
    ///
    /// ```text
    /// SparseSegmentSum(data: T, indices: Tidx, segment_ids: Tsegmentids) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    ///   sparse_gradient: bool = false
    /// ```
    sparse_segment_sum SparseSegmentSum data (data: one "data", indices: one "indices", segment_ids: one "segment_ids") -> one {
        /// Sets `sparse_gradient: bool = false`.
        sparse_gradient: bool "sparse_gradient";
    }

    /// Begins a node of `SparseSegmentSumGrad`.
    ///
    /// ```text
    /// SparseSegmentSumGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> (output: T)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    /// ```
    sparse_segment_sum_grad SparseSegmentSumGrad grad (grad: one "grad", indices: one "indices", segment_ids: one "segment_ids", output_dim0: one "output_dim0") -> one {}

    /// Begins a node of `SparseSegmentSumGradV2`.
    ///
    /// ```text
    /// SparseSegmentSumGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> (output:
    ///     T, sorted_unique_indices: Tidx)
    ///   T: type in {bfloat16, half, float, double}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    /// ```
    sparse_segment_sum_grad_v2 SparseSegmentSumGradV2 grad (grad: one "grad", indices: one "indices", segment_ids: one "segment_ids", dense_output_dim0: one "dense_output_dim0") -> (SparseSegmentSumGradV2Outputs output: one, sorted_unique_indices: one) {}

    /// Begins a node of `SparseSegmentSumWithNumSegments`.
    ///
    /// ```text
    /// SparseSegmentSumWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments)
    ///     -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   Tidx: type in {int32, int64} = int32
    ///   Tnumsegments: type in {int32, int64} = int32
    ///   Tsegmentids: type in {int32, int64} = int32
    ///   sparse_gradient: bool = false
    /// ```
    sparse_segment_sum_with_num_segments SparseSegmentSumWithNumSegments data (data: one "data", indices: one "indices", segment_ids: one "segment_ids", num_segments: one "num_segments") -> one {
        /// Sets `sparse_gradient: bool = false`.
        sparse_gradient: bool "sparse_gradient";
    }

    /// Begins a node of `Spence`.
    ///
    /// ```text
    /// Spence(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double}
    /// ```
    spence Spence x (x: one "x") -> one {}

    /// Begins a node of `Sqrt`.
    ///
    /// ```text
    /// Sqrt(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    sqrt Sqrt x (x: one "x") -> one {}

    /// Begins a node of `SqrtGrad`.
    ///
    /// ```text
    /// SqrtGrad(y: T, dy: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    sqrt_grad SqrtGrad y (y: one "y", dy: one "dy") -> one {}

    /// Begins a node of `Square`.
    ///
    /// ```text
    /// Square(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64,
    ///     complex128}
    /// ```
    square Square x (x: one "x") -> one {}

    /// Begins a node of `SquaredDifference`.
    ///
    /// ```text
    /// SquaredDifference(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, int32, int64, complex64, complex128}
    /// ```
    squared_difference SquaredDifference x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Sub`.
    ///
    /// ```text
    /// Sub(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128,
    ///     uint32, uint64}
    /// ```
    sub Sub x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Sum`.
    ///
    /// ```text
    /// Sum(input: T, reduction_indices: Tidx) -> (output: T)
    ///   keep_dims: bool = false
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tidx: type in {int32, int64} = int32
    /// ```
    sum Sum input (input: one "input", reduction_indices: one "reduction_indices") -> one {
        /// Sets `keep_dims: bool = false`.
        keep_dims: bool "keep_dims";
    }

    /// Begins a node of `Svd`.
    ///
    /// ```text
    /// Svd(input: T) -> (s: T, u: T, v: T)
    ///   compute_uv: bool = true
    ///   full_matrices: bool = false
    ///   T: type in {double, float, half, complex64, complex128}
    /// ```
    svd Svd input (input: one "input") -> (SvdOutputs s: one, u: one, v: one) {
        /// Sets `compute_uv: bool = true`.
        compute_uv: bool "compute_uv";
        /// Sets `full_matrices: bool = false`.
        full_matrices: bool "full_matrices";
    }

    /// Begins a node of `Tan`.
    ///
    /// ```text
    /// Tan(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    tan Tan x (x: one "x") -> one {}

    /// Begins a node of `Tanh`.
    ///
    /// ```text
    /// Tanh(x: T) -> (y: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    tanh Tanh x (x: one "x") -> one {}

    /// Begins a node of `TanhGrad`.
    ///
    /// ```text
    /// TanhGrad(y: T, dy: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, complex64, complex128}
    /// ```
    tanh_grad TanhGrad y (y: one "y", dy: one "dy") -> one {}

    /// Begins a node of `TridiagonalMatMul`.
    ///
    /// ```text
    /// TridiagonalMatMul(superdiag: T, maindiag: T, subdiag: T, rhs: T) -> (output: T)
    ///   T: type in {double, float, complex64, complex128}
    /// ```
    tridiagonal_mat_mul TridiagonalMatMul superdiag (superdiag: one "superdiag", maindiag: one "maindiag", subdiag: one "subdiag", rhs: one "rhs") -> one {}

    /// Begins a node of `TridiagonalSolve`.
    ///
    /// ```text
    /// TridiagonalSolve(diagonals: T, rhs: T) -> (output: T)
    ///   partial_pivoting: bool = true
    ///   perturb_singular: bool = false
    ///   T: type in {double, float, complex64, complex128}
    /// ```
    tridiagonal_solve TridiagonalSolve diagonals (diagonals: one "diagonals", rhs: one "rhs") -> one {
        /// Sets `partial_pivoting: bool = true`.
        partial_pivoting: bool "partial_pivoting";
        /// Sets `perturb_singular: bool = false`.
        perturb_singular: bool "perturb_singular";
    }

    /// Begins a node of `TruncateDiv`.
    ///
    /// ```text
    /// TruncateDiv(x: T, y: T) -> (z: T)
    ///   T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64,
    ///     complex128}
    /// ```
    truncate_div TruncateDiv x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `TruncateMod`.
    ///
    /// ```text
    /// TruncateMod(x: T, y: T) -> (z: T)
    ///   T: type in {int32, int64, bfloat16, half, float, double}
    /// ```
    truncate_mod TruncateMod x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `UnsortedSegmentMax`.
    ///
    /// ```text
    /// UnsortedSegmentMax(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   Tnumsegments: type in {int32, int64} = int32
    /// ```
    unsorted_segment_max UnsortedSegmentMax data (data: one "data", segment_ids: one "segment_ids", num_segments: one "num_segments") -> one {}

    /// Begins a node of `UnsortedSegmentMin`.
    ///
    /// ```text
    /// UnsortedSegmentMin(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   Tnumsegments: type in {int32, int64} = int32
    /// ```
    unsorted_segment_min UnsortedSegmentMin data (data: one "data", segment_ids: one "segment_ids", num_segments: one "num_segments") -> one {}

    /// Begins a node of `UnsortedSegmentProd`.
    ///
    /// ```text
    /// UnsortedSegmentProd(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   Tnumsegments: type in {int32, int64} = int32
    /// ```
    unsorted_segment_prod UnsortedSegmentProd data (data: one "data", segment_ids: one "segment_ids", num_segments: one "num_segments") -> one {}

    /// Begins a node of `UnsortedSegmentSum`.
    ///
    /// ```text
    /// UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T)
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int16, int32, int64}
    ///   Tnumsegments: type in {int32, int64} = int32
    /// ```
    unsorted_segment_sum UnsortedSegmentSum data (data: one "data", segment_ids: one "segment_ids", num_segments: one "num_segments") -> one {}

    /// Begins a node of `UpperBound`.
    ///
    /// ```text
    /// UpperBound(sorted_inputs: T, values: T) -> (output: out_type)
    ///   T: type
    ///   out_type: type in {int32, int64} = int32
    /// ```
    upper_bound UpperBound sorted_inputs (sorted_inputs: one "sorted_inputs", values: one "values") -> one {
        /// Sets `out_type: type in {int32, int64} = int32`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `Xdivy`.
    ///
    /// ```text
    /// Xdivy(x: T, y: T) -> (z: T)
    ///   T: type in {half, bfloat16, float, double, complex64, complex128}
    /// ```
    xdivy Xdivy x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Xlog1py`.
    ///
    /// ```text
    /// Xlog1py(x: T, y: T) -> (z: T)
    ///   T: type in {half, bfloat16, float, double, complex64, complex128}
    /// ```
    xlog1py Xlog1py x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Xlogy`.
    ///
    /// ```text
    /// Xlogy(x: T, y: T) -> (z: T)
    ///   T: type in {half, bfloat16, float, double, complex64, complex128}
    /// ```
    xlogy Xlogy x (x: one "x", y: one "y") -> one {}

    /// Begins a node of `Zeta`.
    ///
    /// ```text
    /// Zeta(x: T, q: T) -> (z: T)
    ///   T: type in {float, double}
    /// ```
    zeta Zeta x (x: one "x", q: one "q") -> one {}
}
