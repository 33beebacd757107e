//! The ops of the group `training`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `ApplyAdaMax`.
    ///
    /// ```text
    /// ApplyAdaMax(var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T)
    ///     -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_ada_max ApplyAdaMax var (var: one "var", m: one "m", v: one "v", beta1_power: one "beta1_power", lr: one "lr", beta1: one "beta1", beta2: one "beta2", epsilon: one "epsilon", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyAdadelta`.
    ///
    /// ```text
    /// ApplyAdadelta(var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T) -> (out:
    ///     Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_adadelta ApplyAdadelta var (var: one "var", accum: one "accum", accum_update: one "accum_update", lr: one "lr", rho: one "rho", epsilon: one "epsilon", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyAdagrad`.
    ///
    /// ```text
    /// ApplyAdagrad(var: Ref(T), accum: Ref(T), lr: T, grad: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   update_slots: bool = true
    /// ```
    apply_adagrad ApplyAdagrad var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `update_slots: bool = true`.
        update_slots: bool "update_slots";
    }

    /// Begins a node of `ApplyAdagradDA`.
    ///
    /// ```text
    /// ApplyAdagradDA(var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T, lr: T,
    ///     l1: T, l2: T, global_step: int64) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_adagrad_da ApplyAdagradDA var (var: one "var", gradient_accumulator: one "gradient_accumulator", gradient_squared_accumulator: one "gradient_squared_accumulator", grad: one "grad", lr: one "lr", l1: one "l1", l2: one "l2", global_step: one "global_step") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyAdagradV2`.
    ///
    /// ```text
    /// ApplyAdagradV2(var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   update_slots: bool = true
    /// ```
    apply_adagrad_v2 ApplyAdagradV2 var (var: one "var", accum: one "accum", lr: one "lr", epsilon: one "epsilon", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `update_slots: bool = true`.
        update_slots: bool "update_slots";
    }

    /// Begins a node of `ApplyAdam`.
    ///
    /// ```text
    /// ApplyAdam(var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T,
    ///     epsilon: T, grad: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   use_nesterov: bool = false
    /// ```
    apply_adam ApplyAdam var (var: one "var", m: one "m", v: one "v", beta1_power: one "beta1_power", beta2_power: one "beta2_power", lr: one "lr", beta1: one "beta1", beta2: one "beta2", epsilon: one "epsilon", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `use_nesterov: bool = false`.
        use_nesterov: bool "use_nesterov";
    }

    /// Begins a node of `ApplyAddSign`.
    ///
    /// ```text
    /// ApplyAddSign(var: Ref(T), m: Ref(T), lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_add_sign ApplyAddSign var (var: one "var", m: one "m", lr: one "lr", alpha: one "alpha", sign_decay: one "sign_decay", beta: one "beta", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyCenteredRMSProp`.
    ///
    /// ```text
    /// ApplyCenteredRMSProp(var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T,
    ///     grad: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_centered_rms_prop ApplyCenteredRMSProp var (var: one "var", mg: one "mg", ms: one "ms", mom: one "mom", lr: one "lr", rho: one "rho", momentum: one "momentum", epsilon: one "epsilon", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyFtrl`.
    ///
    /// ```text
    /// ApplyFtrl(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, lr_power: T) -> (out:
    ///     Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   multiply_linear_by_lr: bool = false
    /// ```
    apply_ftrl ApplyFtrl var (var: one "var", accum: one "accum", linear: one "linear", grad: one "grad", lr: one "lr", l1: one "l1", l2: one "l2", lr_power: one "lr_power") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `multiply_linear_by_lr: bool = false`.
        multiply_linear_by_lr: bool "multiply_linear_by_lr";
    }

    /// Begins a node of `ApplyFtrlV2`.
    ///
    /// ```text
    /// ApplyFtrlV2(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T,
    ///     lr_power: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   multiply_linear_by_lr: bool = false
    /// ```
    apply_ftrl_v2 ApplyFtrlV2 var (var: one "var", accum: one "accum", linear: one "linear", grad: one "grad", lr: one "lr", l1: one "l1", l2: one "l2", l2_shrinkage: one "l2_shrinkage", lr_power: one "lr_power") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `multiply_linear_by_lr: bool = false`.
        multiply_linear_by_lr: bool "multiply_linear_by_lr";
    }

    /// Begins a node of `ApplyGradientDescent`.
    ///
    /// ```text
    /// ApplyGradientDescent(var: Ref(T), alpha: T, delta: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_gradient_descent ApplyGradientDescent var (var: one "var", alpha: one "alpha", delta: one "delta") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyMomentum`.
    ///
    /// ```text
    /// ApplyMomentum(var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   use_nesterov: bool = false
    /// ```
    apply_momentum ApplyMomentum var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad", momentum: one "momentum") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `use_nesterov: bool = false`.
        use_nesterov: bool "use_nesterov";
    }

    /// Begins a node of `ApplyPowerSign`.
    ///
    /// ```text
    /// ApplyPowerSign(var: Ref(T), m: Ref(T), lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_power_sign ApplyPowerSign var (var: one "var", m: one "m", lr: one "lr", logbase: one "logbase", sign_decay: one "sign_decay", beta: one "beta", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyProximalAdagrad`.
    ///
    /// ```text
    /// ApplyProximalAdagrad(var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_proximal_adagrad ApplyProximalAdagrad var (var: one "var", accum: one "accum", lr: one "lr", l1: one "l1", l2: one "l2", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyProximalGradientDescent`.
    ///
    /// ```text
    /// ApplyProximalGradientDescent(var: Ref(T), alpha: T, l1: T, l2: T, delta: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_proximal_gradient_descent ApplyProximalGradientDescent var (var: one "var", alpha: one "alpha", l1: one "l1", l2: one "l2", delta: one "delta") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ApplyRMSProp`.
    ///
    /// ```text
    /// ApplyRMSProp(var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> (out:
    ///     Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    apply_rms_prop ApplyRMSProp var (var: one "var", ms: one "ms", mom: one "mom", lr: one "lr", rho: one "rho", momentum: one "momentum", epsilon: one "epsilon", grad: one "grad") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `NegTrain`, which has state.
    ///
    /// ```text
    /// NegTrain(w_in: Ref(float), w_out: Ref(float), examples: int32, labels: int32, lr: float) -> ()
    ///   vocab_count: list(int)
    ///   num_negative_samples: int
    /// ```
    neg_train NegTrain w_in (w_in: one "w_in", w_out: one "w_out", examples: one "examples", labels: one "labels", lr: one "lr", vocab_count: ints "vocab_count", num_negative_samples: int "num_negative_samples") -> none {}

    /// Begins a node of `ResourceApplyAdaMax`, which has state.
    ///
    /// ```text
    /// ResourceApplyAdaMax(var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T,
    ///     epsilon: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_ada_max ResourceApplyAdaMax var (var: one "var", m: one "m", v: one "v", beta1_power: one "beta1_power", lr: one "lr", beta1: one "beta1", beta2: one "beta2", epsilon: one "epsilon", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyAdadelta`, which has state.
    ///
    /// ```text
    /// ResourceApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad:
    ///     T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_adadelta ResourceApplyAdadelta var (var: one "var", accum: one "accum", accum_update: one "accum_update", lr: one "lr", rho: one "rho", epsilon: one "epsilon", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyAdagrad`, which has state.
    ///
    /// ```text
    /// ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   update_slots: bool = true
    /// ```
    resource_apply_adagrad ResourceApplyAdagrad var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `update_slots: bool = true`.
        update_slots: bool "update_slots";
    }

    /// Begins a node of `ResourceApplyAdagradDA`, which has state.
    ///
    /// ```text
    /// ResourceApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource,
    ///     grad: T, lr: T, l1: T, l2: T, global_step: int64) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_adagrad_da ResourceApplyAdagradDA var (var: one "var", gradient_accumulator: one "gradient_accumulator", gradient_squared_accumulator: one "gradient_squared_accumulator", grad: one "grad", lr: one "lr", l1: one "l1", l2: one "l2", global_step: one "global_step") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyAdagradV2`, which has state.
    ///
    /// ```text
    /// ResourceApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   update_slots: bool = true
    /// ```
    resource_apply_adagrad_v2 ResourceApplyAdagradV2 var (var: one "var", accum: one "accum", lr: one "lr", epsilon: one "epsilon", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `update_slots: bool = true`.
        update_slots: bool "update_slots";
    }

    /// Begins a node of `ResourceApplyAdam`, which has state.
    ///
    /// ```text
    /// ResourceApplyAdam(var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T,
    ///     beta2: T, epsilon: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   use_nesterov: bool = false
    /// ```
    resource_apply_adam ResourceApplyAdam var (var: one "var", m: one "m", v: one "v", beta1_power: one "beta1_power", beta2_power: one "beta2_power", lr: one "lr", beta1: one "beta1", beta2: one "beta2", epsilon: one "epsilon", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `use_nesterov: bool = false`.
        use_nesterov: bool "use_nesterov";
    }

    /// Begins a node of `ResourceApplyAdamWithAmsgrad`, which has state.
    ///
    /// ```text
    /// ResourceApplyAdamWithAmsgrad(var: resource, m: resource, v: resource, vhat: resource, beta1_power: T,
    ///     beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_adam_with_amsgrad ResourceApplyAdamWithAmsgrad var (var: one "var", m: one "m", v: one "v", vhat: one "vhat", beta1_power: one "beta1_power", beta2_power: one "beta2_power", lr: one "lr", beta1: one "beta1", beta2: one "beta2", epsilon: one "epsilon", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyAddSign`, which has state.
    ///
    /// ```text
    /// ResourceApplyAddSign(var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_add_sign ResourceApplyAddSign var (var: one "var", m: one "m", lr: one "lr", alpha: one "alpha", sign_decay: one "sign_decay", beta: one "beta", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyCenteredRMSProp`, which has state.
    ///
    /// ```text
    /// ResourceApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum:
    ///     T, epsilon: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_centered_rms_prop ResourceApplyCenteredRMSProp var (var: one "var", mg: one "mg", ms: one "ms", mom: one "mom", lr: one "lr", rho: one "rho", momentum: one "momentum", epsilon: one "epsilon", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyFtrl`, which has state.
    ///
    /// ```text
    /// ResourceApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T)
    ///     -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   multiply_linear_by_lr: bool = false
    /// ```
    resource_apply_ftrl ResourceApplyFtrl var (var: one "var", accum: one "accum", linear: one "linear", grad: one "grad", lr: one "lr", l1: one "l1", l2: one "l2", lr_power: one "lr_power") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `multiply_linear_by_lr: bool = false`.
        multiply_linear_by_lr: bool "multiply_linear_by_lr";
    }

    /// Begins a node of `ResourceApplyFtrlV2`, which has state.
    ///
    /// ```text
    /// ResourceApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T,
    ///     l2_shrinkage: T, lr_power: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   multiply_linear_by_lr: bool = false
    /// ```
    resource_apply_ftrl_v2 ResourceApplyFtrlV2 var (var: one "var", accum: one "accum", linear: one "linear", grad: one "grad", lr: one "lr", l1: one "l1", l2: one "l2", l2_shrinkage: one "l2_shrinkage", lr_power: one "lr_power") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `multiply_linear_by_lr: bool = false`.
        multiply_linear_by_lr: bool "multiply_linear_by_lr";
    }

    /// Begins a node of `ResourceApplyGradientDescent`, which has state.
    ///
    /// ```text
    /// ResourceApplyGradientDescent(var: resource, alpha: T, delta: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_gradient_descent ResourceApplyGradientDescent var (var: one "var", alpha: one "alpha", delta: one "delta") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyKerasMomentum`, which has state.
    ///
    /// ```text
    /// ResourceApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   use_nesterov: bool = false
    /// ```
    resource_apply_keras_momentum ResourceApplyKerasMomentum var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad", momentum: one "momentum") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `use_nesterov: bool = false`.
        use_nesterov: bool "use_nesterov";
    }

    /// Begins a node of `ResourceApplyMomentum`, which has state.
    ///
    /// ```text
    /// ResourceApplyMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    ///   use_nesterov: bool = false
    /// ```
    resource_apply_momentum ResourceApplyMomentum var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad", momentum: one "momentum") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `use_nesterov: bool = false`.
        use_nesterov: bool "use_nesterov";
    }

    /// Begins a node of `ResourceApplyPowerSign`, which has state.
    ///
    /// ```text
    /// ResourceApplyPowerSign(var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_power_sign ResourceApplyPowerSign var (var: one "var", m: one "m", lr: one "lr", logbase: one "logbase", sign_decay: one "sign_decay", beta: one "beta", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyProximalAdagrad`, which has state.
    ///
    /// ```text
    /// ResourceApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_proximal_adagrad ResourceApplyProximalAdagrad var (var: one "var", accum: one "accum", lr: one "lr", l1: one "l1", l2: one "l2", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyProximalGradientDescent`, which has state.
    ///
    /// ```text
    /// ResourceApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, delta: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_proximal_gradient_descent ResourceApplyProximalGradientDescent var (var: one "var", alpha: one "alpha", l1: one "l1", l2: one "l2", delta: one "delta") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceApplyRMSProp`, which has state.
    ///
    /// ```text
    /// ResourceApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad:
    ///     T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    resource_apply_rms_prop ResourceApplyRMSProp var (var: one "var", ms: one "ms", mom: one "mom", lr: one "lr", rho: one "rho", momentum: one "momentum", epsilon: one "epsilon", grad: one "grad") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceSparseApplyAdadelta`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T,
    ///     grad: T, indices: Tindices) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    resource_sparse_apply_adadelta ResourceSparseApplyAdadelta var (var: one "var", accum: one "accum", accum_update: one "accum_update", lr: one "lr", rho: one "rho", epsilon: one "epsilon", grad: one "grad", indices: one "indices") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceSparseApplyAdagrad`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyAdagrad(var: resource, accum: resource, lr: T, grad: T, indices: Tindices) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   update_slots: bool = true
    /// ```
    resource_sparse_apply_adagrad ResourceSparseApplyAdagrad var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad", indices: one "indices") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `update_slots: bool = true`.
        update_slots: bool "update_slots";
    }

    /// Begins a node of `ResourceSparseApplyAdagradDA`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator:
    ///     resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    resource_sparse_apply_adagrad_da ResourceSparseApplyAdagradDA var (var: one "var", gradient_accumulator: one "gradient_accumulator", gradient_squared_accumulator: one "gradient_squared_accumulator", grad: one "grad", indices: one "indices", lr: one "lr", l1: one "l1", l2: one "l2", global_step: one "global_step") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceSparseApplyAdagradV2`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T, indices: Tindices) ->
    ///     ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   update_slots: bool = true
    /// ```
    resource_sparse_apply_adagrad_v2 ResourceSparseApplyAdagradV2 var (var: one "var", accum: one "accum", lr: one "lr", epsilon: one "epsilon", grad: one "grad", indices: one "indices") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `update_slots: bool = true`.
        update_slots: bool "update_slots";
    }

    /// Begins a node of `ResourceSparseApplyCenteredRMSProp`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T,
    ///     momentum: T, epsilon: T, grad: T, indices: Tindices) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    resource_sparse_apply_centered_rms_prop ResourceSparseApplyCenteredRMSProp var (var: one "var", mg: one "mg", ms: one "ms", mom: one "mom", lr: one "lr", rho: one "rho", momentum: one "momentum", epsilon: one "epsilon", grad: one "grad", indices: one "indices") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceSparseApplyFtrl`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T,
    ///     l1: T, l2: T, lr_power: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   multiply_linear_by_lr: bool = false
    /// ```
    resource_sparse_apply_ftrl ResourceSparseApplyFtrl var (var: one "var", accum: one "accum", linear: one "linear", grad: one "grad", indices: one "indices", lr: one "lr", l1: one "l1", l2: one "l2", lr_power: one "lr_power") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `multiply_linear_by_lr: bool = false`.
        multiply_linear_by_lr: bool "multiply_linear_by_lr";
    }

    /// Begins a node of `ResourceSparseApplyFtrlV2`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T,
    ///     l1: T, l2: T, l2_shrinkage: T, lr_power: T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   multiply_linear_by_lr: bool = false
    /// ```
    resource_sparse_apply_ftrl_v2 ResourceSparseApplyFtrlV2 var (var: one "var", accum: one "accum", linear: one "linear", grad: one "grad", indices: one "indices", lr: one "lr", l1: one "l1", l2: one "l2", l2_shrinkage: one "l2_shrinkage", lr_power: one "lr_power") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `multiply_linear_by_lr: bool = false`.
        multiply_linear_by_lr: bool "multiply_linear_by_lr";
    }

    /// Begins a node of `ResourceSparseApplyKerasMomentum`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum:
    ///     T) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   use_nesterov: bool = false
    /// ```
    resource_sparse_apply_keras_momentum ResourceSparseApplyKerasMomentum var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad", indices: one "indices", momentum: one "momentum") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `use_nesterov: bool = false`.
        use_nesterov: bool "use_nesterov";
    }

    /// Begins a node of `ResourceSparseApplyMomentum`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T) ->
    ///     ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   use_nesterov: bool = false
    /// ```
    resource_sparse_apply_momentum ResourceSparseApplyMomentum var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad", indices: one "indices", momentum: one "momentum") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `use_nesterov: bool = false`.
        use_nesterov: bool "use_nesterov";
    }

    /// Begins a node of `ResourceSparseApplyProximalAdagrad`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T, indices:
    ///     Tindices) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    resource_sparse_apply_proximal_adagrad ResourceSparseApplyProximalAdagrad var (var: one "var", accum: one "accum", lr: one "lr", l1: one "l1", l2: one "l2", grad: one "grad", indices: one "indices") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceSparseApplyProximalGradientDescent`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, grad: T, indices: Tindices)
    ///     -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    resource_sparse_apply_proximal_gradient_descent ResourceSparseApplyProximalGradientDescent var (var: one "var", alpha: one "alpha", l1: one "l1", l2: one "l2", grad: one "grad", indices: one "indices") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ResourceSparseApplyRMSProp`, which has state.
    ///
    /// ```text
    /// ResourceSparseApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T,
    ///     grad: T, indices: Tindices) -> ()
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    resource_sparse_apply_rms_prop ResourceSparseApplyRMSProp var (var: one "var", ms: one "ms", mom: one "mom", lr: one "lr", rho: one "rho", momentum: one "momentum", epsilon: one "epsilon", grad: one "grad", indices: one "indices") -> none {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `Skipgram`, which has state.
    ///
    /// ```text
    /// Skipgram() -> (vocab_word: string, vocab_freq: int32, words_per_epoch: int64, current_epoch: int32,
    ///     total_words_processed: int64, examples: int32, labels: int32)
    ///   filename: string
    ///   batch_size: int
    ///   window_size: int = 5
    ///   min_count: int = 5
    ///   subsample: float = 0.001
    /// ```
    skipgram Skipgram graph (graph: graph "", filename: string "filename", batch_size: int "batch_size") -> (SkipgramOutputs vocab_word: one, vocab_freq: one, words_per_epoch: one, current_epoch: one, total_words_processed: one, examples: one, labels: one) {
        /// Sets `window_size: int = 5`.
        window_size: int "window_size";
        /// Sets `min_count: int = 5`.
        min_count: int "min_count";
        /// Sets `subsample: float = 0.001`.
        subsample: float "subsample";
    }

    /// Begins a node of `SparseApplyAdadelta`.
    ///
    /// ```text
    /// SparseApplyAdadelta(var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T,
    ///     indices: Tindices) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    sparse_apply_adadelta SparseApplyAdadelta var (var: one "var", accum: one "accum", accum_update: one "accum_update", lr: one "lr", rho: one "rho", epsilon: one "epsilon", grad: one "grad", indices: one "indices") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `SparseApplyAdagrad`.
    ///
    /// ```text
    /// SparseApplyAdagrad(var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   update_slots: bool = true
    /// ```
    sparse_apply_adagrad SparseApplyAdagrad var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad", indices: one "indices") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `update_slots: bool = true`.
        update_slots: bool "update_slots";
    }

    /// Begins a node of `SparseApplyAdagradDA`.
    ///
    /// ```text
    /// SparseApplyAdagradDA(var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T,
    ///     indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    sparse_apply_adagrad_da SparseApplyAdagradDA var (var: one "var", gradient_accumulator: one "gradient_accumulator", gradient_squared_accumulator: one "gradient_squared_accumulator", grad: one "grad", indices: one "indices", lr: one "lr", l1: one "l1", l2: one "l2", global_step: one "global_step") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `SparseApplyAdagradV2`.
    ///
    /// ```text
    /// SparseApplyAdagradV2(var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T, indices: Tindices) -> (out:
    ///     Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   update_slots: bool = true
    /// ```
    sparse_apply_adagrad_v2 SparseApplyAdagradV2 var (var: one "var", accum: one "accum", lr: one "lr", epsilon: one "epsilon", grad: one "grad", indices: one "indices") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `update_slots: bool = true`.
        update_slots: bool "update_slots";
    }

    /// Begins a node of `SparseApplyCenteredRMSProp`.
    ///
    /// ```text
    /// SparseApplyCenteredRMSProp(var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T,
    ///     epsilon: T, grad: T, indices: Tindices) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    sparse_apply_centered_rms_prop SparseApplyCenteredRMSProp var (var: one "var", mg: one "mg", ms: one "ms", mom: one "mom", lr: one "lr", rho: one "rho", momentum: one "momentum", epsilon: one "epsilon", grad: one "grad", indices: one "indices") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `SparseApplyFtrl`.
    ///
    /// ```text
    /// SparseApplyFtrl(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T,
    ///     lr_power: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   multiply_linear_by_lr: bool = false
    /// ```
    sparse_apply_ftrl SparseApplyFtrl var (var: one "var", accum: one "accum", linear: one "linear", grad: one "grad", indices: one "indices", lr: one "lr", l1: one "l1", l2: one "l2", lr_power: one "lr_power") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `multiply_linear_by_lr: bool = false`.
        multiply_linear_by_lr: bool "multiply_linear_by_lr";
    }

    /// Begins a node of `SparseApplyFtrlV2`.
    ///
    /// ```text
    /// SparseApplyFtrlV2(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T,
    ///     l2_shrinkage: T, lr_power: T) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   multiply_linear_by_lr: bool = false
    /// ```
    sparse_apply_ftrl_v2 SparseApplyFtrlV2 var (var: one "var", accum: one "accum", linear: one "linear", grad: one "grad", indices: one "indices", lr: one "lr", l1: one "l1", l2: one "l2", l2_shrinkage: one "l2_shrinkage", lr_power: one "lr_power") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `multiply_linear_by_lr: bool = false`.
        multiply_linear_by_lr: bool "multiply_linear_by_lr";
    }

    /// Begins a node of `SparseApplyMomentum`.
    ///
    /// ```text
    /// SparseApplyMomentum(var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T) -> (out:
    ///     Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   use_nesterov: bool = false
    /// ```
    sparse_apply_momentum SparseApplyMomentum var (var: one "var", accum: one "accum", lr: one "lr", grad: one "grad", indices: one "indices", momentum: one "momentum") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `use_nesterov: bool = false`.
        use_nesterov: bool "use_nesterov";
    }

    /// Begins a node of `SparseApplyProximalAdagrad`.
    ///
    /// ```text
    /// SparseApplyProximalAdagrad(var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T, indices: Tindices) ->
    ///     (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    sparse_apply_proximal_adagrad SparseApplyProximalAdagrad var (var: one "var", accum: one "accum", lr: one "lr", l1: one "l1", l2: one "l2", grad: one "grad", indices: one "indices") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `SparseApplyProximalGradientDescent`.
    ///
    /// ```text
    /// SparseApplyProximalGradientDescent(var: Ref(T), alpha: T, l1: T, l2: T, grad: T, indices: Tindices) -> (out:
    ///     Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    sparse_apply_proximal_gradient_descent SparseApplyProximalGradientDescent var (var: one "var", alpha: one "alpha", l1: one "l1", l2: one "l2", grad: one "grad", indices: one "indices") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `SparseApplyRMSProp`.
    ///
    /// ```text
    /// SparseApplyRMSProp(var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T,
    ///     indices: Tindices) -> (out: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    sparse_apply_rms_prop SparseApplyRMSProp var (var: one "var", ms: one "ms", mom: one "mom", lr: one "lr", rho: one "rho", momentum: one "momentum", epsilon: one "epsilon", grad: one "grad", indices: one "indices") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }
}
