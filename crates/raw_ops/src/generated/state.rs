//! The ops of the group `state`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `Assign`.
    ///
    /// ```text
    /// Assign(ref: Ref(T), value: T) -> (output_ref: Ref(T))
    ///   T: type
    ///   validate_shape: bool = true
    ///   use_locking: bool = true
    /// ```
    assign Assign ref_ (ref_: one "ref", value: one "value") -> one {
        /// Sets `validate_shape: bool = true`.
        validate_shape: bool "validate_shape";
        /// Sets `use_locking: bool = true`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `AssignAdd`.
    ///
    /// ```text
    /// AssignAdd(ref: Ref(T), value: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    assign_add AssignAdd ref_ (ref_: one "ref", value: one "value") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `AssignAddVariableOp`, which has state.
    ///
    /// ```text
    /// AssignAddVariableOp(resource: resource, value: dtype) -> ()
    ///   dtype: type
    /// ```
    assign_add_variable_op AssignAddVariableOp resource (resource: one "resource", value: one "value") -> none {}

    /// Begins a node of `AssignSub`.
    ///
    /// ```text
    /// AssignSub(ref: Ref(T), value: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   use_locking: bool = false
    /// ```
    assign_sub AssignSub ref_ (ref_: one "ref", value: one "value") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `AssignSubVariableOp`, which has state.
    ///
    /// ```text
    /// AssignSubVariableOp(resource: resource, value: dtype) -> ()
    ///   dtype: type
    /// ```
    assign_sub_variable_op AssignSubVariableOp resource (resource: one "resource", value: one "value") -> none {}

    /// Begins a node of `AssignVariableOp`, which has state.
    ///
    /// ```text
    /// AssignVariableOp(resource: resource, value: dtype) -> ()
    ///   dtype: type
    ///   validate_shape: bool = false
    /// ```
    assign_variable_op AssignVariableOp resource (resource: one "resource", value: one "value") -> none {
        /// Sets `validate_shape: bool = false`.
        validate_shape: bool "validate_shape";
    }

    /// Begins a node of `CountUpTo`.
    ///
    /// ```text
    /// CountUpTo(ref: Ref(T)) -> (output: T)
    ///   limit: int
    ///   T: type in {int32, int64}
    /// ```
    count_up_to CountUpTo ref_ (ref_: one "ref", limit: int "limit") -> one {}

    /// Begins a node of `DestroyResourceOp`, which has state.
    ///
    /// ```text
    /// DestroyResourceOp(resource: resource) -> ()
    ///   ignore_lookup_error: bool = true
    /// ```
    destroy_resource_op DestroyResourceOp resource (resource: one "resource") -> none {
        /// Sets `ignore_lookup_error: bool = true`.
        ignore_lookup_error: bool "ignore_lookup_error";
    }

    /// Begins a node of `DestroyTemporaryVariable`.
    ///
    /// ```text
    /// DestroyTemporaryVariable(ref: Ref(T)) -> (value: T)
    ///   T: type
    ///   var_name: string
    /// ```
    destroy_temporary_variable DestroyTemporaryVariable ref_ (ref_: one "ref", var_name: string "var_name") -> one {}

    /// Begins a node of `DisableCopyOnRead`, which has state.
    ///
    /// ```text
    /// DisableCopyOnRead(resource: resource) -> ()
    /// ```
    disable_copy_on_read DisableCopyOnRead resource (resource: one "resource") -> none {}

    /// Begins a node of `IsVariableInitialized`.
    ///
    /// ```text
    /// IsVariableInitialized(ref: Ref(dtype)) -> (is_initialized: bool)
    ///   dtype: type
    /// ```
    is_variable_initialized IsVariableInitialized ref_ (ref_: one "ref") -> one {}

    /// Begins a node of `ReadVariableOp`, which has state.
    ///
    /// ```text
    /// ReadVariableOp(resource: resource) -> (value: dtype)
    ///   dtype: type
    /// ```
    read_variable_op ReadVariableOp resource (resource: one "resource", dtype: dtype "dtype") -> one {}

    /// Begins a node of `ResourceCountUpTo`, which has state.
    ///
    /// ```text
    /// ResourceCountUpTo(resource: resource) -> (output: T)
    ///   limit: int
    ///   T: type in {int32, int64}
    /// ```
    resource_count_up_to ResourceCountUpTo resource (resource: one "resource", limit: int "limit", t: dtype "T") -> one {}

    /// Begins a node of `ResourceGather`, which has state.
    ///
    /// ```text
    /// ResourceGather(resource: resource, indices: Tindices) -> (output: dtype)
    ///   batch_dims: int = 0
    ///   validate_indices: bool = true
    ///   dtype: type
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_gather ResourceGather resource (resource: one "resource", indices: one "indices", dtype: dtype "dtype") -> one {
        /// Sets `batch_dims: int = 0`.
        batch_dims: int "batch_dims";
        /// Sets `validate_indices: bool = true`.
        validate_indices: bool "validate_indices";
    }

    /// Begins a node of `ResourceGatherNd`, which has state.
    ///
    /// ```text
    /// ResourceGatherNd(resource: resource, indices: Tindices) -> (output: dtype)
    ///   dtype: type
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_gather_nd ResourceGatherNd resource (resource: one "resource", indices: one "indices", dtype: dtype "dtype") -> one {}

    /// Begins a node of `ResourceScatterAdd`, which has state.
    ///
    /// ```text
    /// ResourceScatterAdd(resource: resource, indices: Tindices, updates: dtype) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_scatter_add ResourceScatterAdd resource (resource: one "resource", indices: one "indices", updates: one "updates") -> none {}

    /// Begins a node of `ResourceScatterDiv`, which has state.
    ///
    /// ```text
    /// ResourceScatterDiv(resource: resource, indices: Tindices, updates: dtype) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_scatter_div ResourceScatterDiv resource (resource: one "resource", indices: one "indices", updates: one "updates") -> none {}

    /// Begins a node of `ResourceScatterMax`, which has state.
    ///
    /// ```text
    /// ResourceScatterMax(resource: resource, indices: Tindices, updates: dtype) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_scatter_max ResourceScatterMax resource (resource: one "resource", indices: one "indices", updates: one "updates") -> none {}

    /// Begins a node of `ResourceScatterMin`, which has state.
    ///
    /// ```text
    /// ResourceScatterMin(resource: resource, indices: Tindices, updates: dtype) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_scatter_min ResourceScatterMin resource (resource: one "resource", indices: one "indices", updates: one "updates") -> none {}

    /// Begins a node of `ResourceScatterMul`, which has state.
    ///
    /// ```text
    /// ResourceScatterMul(resource: resource, indices: Tindices, updates: dtype) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_scatter_mul ResourceScatterMul resource (resource: one "resource", indices: one "indices", updates: one "updates") -> none {}

    /// Begins a node of `ResourceScatterNdAdd`, which has state.
    ///
    /// ```text
    /// ResourceScatterNdAdd(ref: resource, indices: Tindices, updates: T) -> ()
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = true
    ///   bad_indices_policy: string = ''
    /// ```
    resource_scatter_nd_add ResourceScatterNdAdd ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> none {
        /// Sets `use_locking: bool = true`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ResourceScatterNdMax`, which has state.
    ///
    /// ```text
    /// ResourceScatterNdMax(ref: resource, indices: Tindices, updates: T) -> ()
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = true
    ///   bad_indices_policy: string = ''
    /// ```
    resource_scatter_nd_max ResourceScatterNdMax ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> none {
        /// Sets `use_locking: bool = true`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ResourceScatterNdMin`, which has state.
    ///
    /// ```text
    /// ResourceScatterNdMin(ref: resource, indices: Tindices, updates: T) -> ()
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = true
    ///   bad_indices_policy: string = ''
    /// ```
    resource_scatter_nd_min ResourceScatterNdMin ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> none {
        /// Sets `use_locking: bool = true`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ResourceScatterNdSub`, which has state.
    ///
    /// ```text
    /// ResourceScatterNdSub(ref: resource, indices: Tindices, updates: T) -> ()
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = true
    ///   bad_indices_policy: string = ''
    /// ```
    resource_scatter_nd_sub ResourceScatterNdSub ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> none {
        /// Sets `use_locking: bool = true`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ResourceScatterNdUpdate`, which has state.
    ///
    /// ```text
    /// ResourceScatterNdUpdate(ref: resource, indices: Tindices, updates: T) -> ()
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = true
    ///   bad_indices_policy: string = ''
    /// ```
    resource_scatter_nd_update ResourceScatterNdUpdate ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> none {
        /// Sets `use_locking: bool = true`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ResourceScatterSub`, which has state.
    ///
    /// ```text
    /// ResourceScatterSub(resource: resource, indices: Tindices, updates: dtype) -> ()
    ///   dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_scatter_sub ResourceScatterSub resource (resource: one "resource", indices: one "indices", updates: one "updates") -> none {}

    /// Begins a node of `ResourceScatterUpdate`, which has state.
    ///
    /// ```text
    /// ResourceScatterUpdate(resource: resource, indices: Tindices, updates: dtype) -> ()
    ///   dtype: type
    ///   Tindices: type in {int32, int64}
    /// ```
    resource_scatter_update ResourceScatterUpdate resource (resource: one "resource", indices: one "indices", updates: one "updates") -> none {}

    /// Begins a node of `ResourceStridedSliceAssign`, which has state.
    ///
    /// ```text
    /// ResourceStridedSliceAssign(ref: resource, begin: Index, end: Index, strides: Index, value: T) -> ()
    ///   T: type
    ///   Index: type in {int32, int64}
    ///   begin_mask: int = 0
    ///   end_mask: int = 0
    ///   ellipsis_mask: int = 0
    ///   new_axis_mask: int = 0
    ///   shrink_axis_mask: int = 0
    /// ```
    resource_strided_slice_assign ResourceStridedSliceAssign ref_ (ref_: one "ref", begin: one "begin", end: one "end", strides: one "strides", value: one "value") -> none {
        /// Sets `begin_mask: int = 0`.
        begin_mask: int "begin_mask";
        /// Sets `end_mask: int = 0`.
        end_mask: int "end_mask";
        /// Sets `ellipsis_mask: int = 0`.
        ellipsis_mask: int "ellipsis_mask";
        /// Sets `new_axis_mask: int = 0`.
        new_axis_mask: int "new_axis_mask";
        /// Sets `shrink_axis_mask: int = 0`.
        shrink_axis_mask: int "shrink_axis_mask";
    }

    /// Begins a node of `ScatterAdd`.
    ///
    /// ```text
    /// ScatterAdd(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    scatter_add ScatterAdd ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ScatterDiv`.
    ///
    /// ```text
    /// ScatterDiv(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    scatter_div ScatterDiv ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ScatterMax`.
    ///
    /// ```text
    /// ScatterMax(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {half, bfloat16, float, double, int32, int64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    scatter_max ScatterMax ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ScatterMin`.
    ///
    /// ```text
    /// ScatterMin(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {half, bfloat16, float, double, int32, int64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    scatter_min ScatterMin ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ScatterMul`.
    ///
    /// ```text
    /// ScatterMul(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    scatter_mul ScatterMul ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ScatterNdAdd`.
    ///
    /// ```text
    /// ScatterNdAdd(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   bad_indices_policy: string = ''
    /// ```
    scatter_nd_add ScatterNdAdd ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ScatterNdMax`.
    ///
    /// ```text
    /// ScatterNdMax(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   bad_indices_policy: string = ''
    /// ```
    scatter_nd_max ScatterNdMax ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ScatterNdMin`.
    ///
    /// ```text
    /// ScatterNdMin(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   bad_indices_policy: string = ''
    /// ```
    scatter_nd_min ScatterNdMin ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ScatterNdSub`.
    ///
    /// ```text
    /// ScatterNdSub(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    ///   bad_indices_policy: string = ''
    /// ```
    scatter_nd_sub ScatterNdSub ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ScatterNdUpdate`.
    ///
    /// ```text
    /// ScatterNdUpdate(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = true
    ///   bad_indices_policy: string = ''
    /// ```
    scatter_nd_update ScatterNdUpdate ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = true`.
        use_locking: bool "use_locking";
        /// Sets `bad_indices_policy: string = ''`.
        bad_indices_policy: string "bad_indices_policy";
    }

    /// Begins a node of `ScatterSub`.
    ///
    /// ```text
    /// ScatterSub(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
    ///     qint16, quint16, uint16, complex128, half, uint32, uint64}
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = false
    /// ```
    scatter_sub ScatterSub ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = false`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `ScatterUpdate`.
    ///
    /// ```text
    /// ScatterUpdate(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))
    ///   T: type
    ///   Tindices: type in {int32, int64}
    ///   use_locking: bool = true
    /// ```
    scatter_update ScatterUpdate ref_ (ref_: one "ref", indices: one "indices", updates: one "updates") -> one {
        /// Sets `use_locking: bool = true`.
        use_locking: bool "use_locking";
    }

    /// Begins a node of `StridedSliceAssign`.
    ///
    /// ```text
    /// StridedSliceAssign(ref: Ref(T), begin: Index, end: Index, strides: Index, value: T) -> (output_ref: Ref(T))
    ///   T: type
    ///   Index: type in {int32, int64}
    ///   begin_mask: int = 0
    ///   end_mask: int = 0
    ///   ellipsis_mask: int = 0
    ///   new_axis_mask: int = 0
    ///   shrink_axis_mask: int = 0
    /// ```
    strided_slice_assign StridedSliceAssign ref_ (ref_: one "ref", begin: one "begin", end: one "end", strides: one "strides", value: one "value") -> one {
        /// Sets `begin_mask: int = 0`.
        begin_mask: int "begin_mask";
        /// Sets `end_mask: int = 0`.
        end_mask: int "end_mask";
        /// Sets `ellipsis_mask: int = 0`.
        ellipsis_mask: int "ellipsis_mask";
        /// Sets `new_axis_mask: int = 0`.
        new_axis_mask: int "new_axis_mask";
        /// Sets `shrink_axis_mask: int = 0`.
        shrink_axis_mask: int "shrink_axis_mask";
    }

    /// Begins a node of `TemporaryVariable`, which has state.
    ///
    /// ```text
    /// TemporaryVariable() -> (ref: Ref(dtype))
    ///   shape: shape
    ///   dtype: type
    ///   var_name: string = ''
    /// ```
    temporary_variable TemporaryVariable graph (graph: graph "", shape: shape "shape", dtype: dtype "dtype") -> one {
        /// Sets `var_name: string = ''`.
        var_name: string "var_name";
    }

    /// Begins a node of `TensorStridedSliceUpdate`.
    ///
    /// ```text
    /// TensorStridedSliceUpdate(input: T, begin: Index, end: Index, strides: Index, value: T) -> (output: T)
    ///   T: type
    ///   Index: type in {int32, int64}
    ///   begin_mask: int = 0
    ///   end_mask: int = 0
    ///   ellipsis_mask: int = 0
    ///   new_axis_mask: int = 0
    ///   shrink_axis_mask: int = 0
    /// ```
    tensor_strided_slice_update TensorStridedSliceUpdate input (input: one "input", begin: one "begin", end: one "end", strides: one "strides", value: one "value") -> one {
        /// Sets `begin_mask: int = 0`.
        begin_mask: int "begin_mask";
        /// Sets `end_mask: int = 0`.
        end_mask: int "end_mask";
        /// Sets `ellipsis_mask: int = 0`.
        ellipsis_mask: int "ellipsis_mask";
        /// Sets `new_axis_mask: int = 0`.
        new_axis_mask: int "new_axis_mask";
        /// Sets `shrink_axis_mask: int = 0`.
        shrink_axis_mask: int "shrink_axis_mask";
    }

    /// Begins a node of `VarHandleOp`, which has state.
    ///
    /// ```text
    /// VarHandleOp() -> (resource: resource)
    ///   container: string = ''
    ///   shared_name: string = ''
    ///   debug_name: string = ''
    ///   dtype: type
    ///   shape: shape
    ///   allowed_devices: list(string) = []
    /// ```
    var_handle_op VarHandleOp graph (graph: graph "", dtype: dtype "dtype", shape: shape "shape") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
        /// Sets `debug_name: string = ''`.
        debug_name: string "debug_name";
        /// Sets `allowed_devices: list(string) = []`.
        allowed_devices: strings "allowed_devices";
    }

    /// Begins a node of `VarIsInitializedOp`, which has state.
    ///
    /// ```text
    /// VarIsInitializedOp(resource: resource) -> (is_initialized: bool)
    /// ```
    var_is_initialized_op VarIsInitializedOp resource (resource: one "resource") -> one {}

    /// Begins a node of `Variable`, which has state.
    ///
    /// ```text
    /// Variable() -> (ref: Ref(dtype))
    ///   shape: shape
    ///   dtype: type
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    variable Variable graph (graph: graph "", shape: shape "shape", dtype: dtype "dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }

    /// Begins a node of `VariableShape`, which has state.
    ///
    /// ```text
    /// VariableShape(input: resource) -> (output: out_type)
    ///   out_type: type in {int32, int64} = int32
    /// ```
    variable_shape VariableShape input (input: one "input") -> one {
        /// Sets `out_type: type in {int32, int64} = int32`.
        out_type: dtype "out_type";
    }

    /// Begins a node of `VariableV2`, which has state.
    ///
    /// ```text
    /// VariableV2() -> (ref: Ref(dtype))
    ///   shape: shape
    ///   dtype: type
    ///   container: string = ''
    ///   shared_name: string = ''
    /// ```
    variable_v2 VariableV2 graph (graph: graph "", shape: shape "shape", dtype: dtype "dtype") -> one {
        /// Sets `container: string = ''`.
        container: string "container";
        /// Sets `shared_name: string = ''`.
        shared_name: string "shared_name";
    }
}
