//! The ops of the group `control_flow`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `Abort`.
    ///
    /// ```text
    /// Abort() -> ()
    ///   error_msg: string = ''
    ///   exit_without_error: bool = false
    /// ```
    abort Abort graph (graph: graph "") -> none {
        /// Sets `error_msg: string = ''`.
        error_msg: string "error_msg";
        /// Sets `exit_without_error: bool = false`.
        exit_without_error: bool "exit_without_error";
    }

    /// Begins a node of `Assert`, which has state.
    ///
    /// ```text
    /// Assert(condition: bool, data: T) -> ()
    ///   T: list(type) >= 1
    ///   summarize: int = 3
    /// ```
    assert Assert condition (condition: one "condition", data: list "data") -> none {
        /// Sets `summarize: int = 3`.
        summarize: int "summarize";
    }

    /// Begins a node of `Case`, which has state.
    ///
    /// ```text
    /// Case(branch_index: int32, input: Tin) -> (output: Tout)
    ///   Tin: list(type) >= 0
    ///   Tout: list(type) >= 0
    ///   branches: list(func) >= 1
    ///   output_shapes: list(shape) = []
    /// ```
    case Case branch_index (branch_index: one "branch_index", input: list "input", tout: dtypes "Tout", branches: functions "branches") -> list {
        /// Sets `output_shapes: list(shape) = []`.
        output_shapes: shapes "output_shapes";
    }

    /// Begins a node of `ControlTrigger`.
    ///
    /// ```text
    /// ControlTrigger() -> ()
    /// ```
    control_trigger ControlTrigger graph (graph: graph "") -> none {}

    /// Begins a node of `DeviceIndex`, which has state.
    ///
    /// ```text
    /// DeviceIndex() -> (index: int32)
    ///   device_names: list(string)
    /// ```
    device_index DeviceIndex graph (graph: graph "", device_names: strings "device_names") -> one {}

    /// Begins a node of `Enter`.
    ///
    /// ```text
    /// Enter(data: T) -> (output: T)
    ///   T: type
    ///   frame_name: string
    ///   is_constant: bool = false
    ///   parallel_iterations: int = 10
    /// ```
    enter Enter data (data: one "data", frame_name: string "frame_name") -> one {
        /// Sets `is_constant: bool = false`.
        is_constant: bool "is_constant";
        /// Sets `parallel_iterations: int = 10`.
        parallel_iterations: int "parallel_iterations";
    }

    /// Begins a node of `Exit`.
    ///
    /// ```text
    /// Exit(data: T) -> (output: T)
    ///   T: type
    /// ```
    exit Exit data (data: one "data") -> one {}

    /// Begins a node of `For`.
    ///
    /// ```text
    /// For(start: int32, limit: int32, delta: int32, input: T) -> (output: T)
    ///   T: list(type) >= 0
    ///   body: func
    /// ```
    for_ For start (start: one "start", limit: one "limit", delta: one "delta", input: list "input", body: function "body") -> list {}

    /// Begins a node of `If`, which has state.
    ///
    /// ```text
    /// If(cond: Tcond, input: Tin) -> (output: Tout)
    ///   Tcond: type
    ///   Tin: list(type) >= 0
    ///   Tout: list(type) >= 0
    ///   then_branch: func
    ///   else_branch: func
    ///   output_shapes: list(shape) = []
    /// ```
    if_ If cond (cond: one "cond", input: list "input", tout: dtypes "Tout", then_branch: function "then_branch", else_branch: function "else_branch") -> list {
        /// Sets `output_shapes: list(shape) = []`.
        output_shapes: shapes "output_shapes";
    }

    /// Begins a node of `LoopCond`.
    ///
    /// ```text
    /// LoopCond(input: bool) -> (output: bool)
    /// ```
    loop_cond LoopCond input (input: one "input") -> one {}

    /// Begins a node of `MapDefun`.
    ///
    /// ```text
    /// MapDefun(arguments: Targuments, captured_inputs: Tcaptured) -> (output: output_types)
    ///   Targuments: list(type) >= 1
    ///   Tcaptured: list(type) >= 0 = []
    ///   output_types: list(type) >= 1
    ///   output_shapes: list(shape) >= 1
    ///   f: func
    ///   max_intra_op_parallelism: int = 1
    /// ```
    map_defun MapDefun graph (graph: graph "", arguments: list "arguments", captured_inputs: list "captured_inputs", output_types: dtypes "output_types", output_shapes: shapes "output_shapes", f: function "f") -> list {
        /// Sets `max_intra_op_parallelism: int = 1`.
        max_intra_op_parallelism: int "max_intra_op_parallelism";
    }

    /// Begins a node of `Merge`.
    ///
    /// ```text
    /// Merge(inputs: N * T) -> (output: T, value_index: int32)
    ///   T: type
    ///   N: int >= 1
    /// ```
    merge Merge graph (graph: graph "", inputs: list "inputs") -> (MergeOutputs output: one, value_index: one) {}

    /// Begins a node of `NextIteration`.
    ///
    /// ```text
    /// NextIteration(data: T) -> (output: T)
    ///   T: type
    /// ```
    next_iteration NextIteration data (data: one "data") -> one {}

    /// Begins a node of `NoOp`.
    ///
    /// ```text
    /// NoOp() -> ()
    /// ```
    no_op NoOp graph (graph: graph "") -> none {}

    /// Begins a node of `PartitionedCall`.
    ///
    /// ```text
    /// PartitionedCall(args: Tin) -> (output: Tout)
    ///   Tin: list(type) >= 0
    ///   Tout: list(type) >= 0
    ///   f: func
    ///   config: string = ''
    ///   config_proto: string = ''
    ///   executor_type: string = ''
    /// ```
    partitioned_call PartitionedCall graph (graph: graph "", args: list "args", tout: dtypes "Tout", f: function "f") -> list {
        /// Sets `config: string = ''`.
        config: string "config";
        /// Sets `config_proto: string = ''`.
        config_proto: string "config_proto";
        /// Sets `executor_type: string = ''`.
        executor_type: string "executor_type";
    }

    /// Begins a node of `PyFunc`, which has state.
    ///
    /// ```text
    /// PyFunc(input: Tin) -> (output: Tout)
    ///   token: string
    ///   Tin: list(type) >= 0
    ///   Tout: list(type) >= 0
    /// ```
    py_func PyFunc graph (graph: graph "", input: list "input", token: string "token", tout: dtypes "Tout") -> list {}

    /// Begins a node of `PyFuncStateless`.
    ///
    /// ```text
    /// PyFuncStateless(input: Tin) -> (output: Tout)
    ///   token: string
    ///   Tin: list(type) >= 0
    ///   Tout: list(type) >= 0
    /// ```
    py_func_stateless PyFuncStateless graph (graph: graph "", input: list "input", token: string "token", tout: dtypes "Tout") -> list {}

    /// Begins a node of `RefEnter`.
    ///
    /// ```text
    /// RefEnter(data: Ref(T)) -> (output: Ref(T))
    ///   T: type
    ///   frame_name: string
    ///   is_constant: bool = false
    ///   parallel_iterations: int = 10
    /// ```
    ref_enter RefEnter data (data: one "data", frame_name: string "frame_name") -> one {
        /// Sets `is_constant: bool = false`.
        is_constant: bool "is_constant";
        /// Sets `parallel_iterations: int = 10`.
        parallel_iterations: int "parallel_iterations";
    }

    /// Begins a node of `RefExit`.
    ///
    /// ```text
    /// RefExit(data: Ref(T)) -> (output: Ref(T))
    ///   T: type
    /// ```
    ref_exit RefExit data (data: one "data") -> one {}

    /// Begins a node of `RefIdentity`.
    ///
    /// ```text
    /// RefIdentity(input: Ref(T)) -> (output: Ref(T))
    ///   T: type
    /// ```
    ref_identity RefIdentity input (input: one "input") -> one {}

    /// Begins a node of `RefMerge`.
    ///
    /// ```text
    /// RefMerge(inputs: N * Ref(T)) -> (output: Ref(T), value_index: int32)
    ///   T: type
    ///   N: int >= 1
    /// ```
    ref_merge RefMerge graph (graph: graph "", inputs: list "inputs") -> (RefMergeOutputs output: one, value_index: one) {}

    /// Begins a node of `RefNextIteration`.
    ///
    /// ```text
    /// RefNextIteration(data: Ref(T)) -> (output: Ref(T))
    ///   T: type
    /// ```
    ref_next_iteration RefNextIteration data (data: one "data") -> one {}

    /// Begins a node of `RefSelect`.
    ///
    /// ```text
    /// RefSelect(index: int32, inputs: N * Ref(T)) -> (output: Ref(T))
    ///   T: type
    ///   N: int >= 1
    /// ```
    ref_select RefSelect index (index: one "index", inputs: list "inputs") -> one {}

    /// Begins a node of `RefSwitch`.
    ///
    /// ```text
    /// RefSwitch(data: Ref(T), pred: bool) -> (output_false: Ref(T), output_true: Ref(T))
    ///   T: type
    /// ```
    ref_switch RefSwitch data (data: one "data", pred: one "pred") -> (RefSwitchOutputs output_false: one, output_true: one) {}

    /// Begins a node of `RemoteCall`, which has state.
    ///
    /// ```text
    /// RemoteCall(target: string, args: Tin) -> (output: Tout)
    ///   Tin: list(type) >= 1
    ///   Tout: list(type) >= 1
    ///   f: func
    /// ```
    remote_call RemoteCall target (target: one "target", args: list "args", tout: dtypes "Tout", f: function "f") -> list {}

    /// Begins a node of `StatefulPartitionedCall`, which has state.
    ///
    /// ```text
    /// StatefulPartitionedCall(args: Tin) -> (output: Tout)
    ///   Tin: list(type) >= 0
    ///   Tout: list(type) >= 0
    ///   f: func
    ///   config: string = ''
    ///   config_proto: string = ''
    ///   executor_type: string = ''
    /// ```
    stateful_partitioned_call StatefulPartitionedCall graph (graph: graph "", args: list "args", tout: dtypes "Tout", f: function "f") -> list {
        /// Sets `config: string = ''`.
        config: string "config";
        /// Sets `config_proto: string = ''`.
        config_proto: string "config_proto";
        /// Sets `executor_type: string = ''`.
        executor_type: string "executor_type";
    }

    /// Begins a node of `StatelessCase`.
    ///
    /// ```text
    /// StatelessCase(branch_index: int32, input: Tin) -> (output: Tout)
    ///   Tin: list(type) >= 0
    ///   Tout: list(type) >= 0
    ///   branches: list(func) >= 1
    ///   output_shapes: list(shape) = []
    /// ```
    stateless_case StatelessCase branch_index (branch_index: one "branch_index", input: list "input", tout: dtypes "Tout", branches: functions "branches") -> list {
        /// Sets `output_shapes: list(shape) = []`.
        output_shapes: shapes "output_shapes";
    }

    /// Begins a node of `StatelessIf`.
    ///
    /// ```text
    /// StatelessIf(cond: Tcond, input: Tin) -> (output: Tout)
    ///   Tcond: type
    ///   Tin: list(type) >= 0
    ///   Tout: list(type) >= 0
    ///   then_branch: func
    ///   else_branch: func
    ///   output_shapes: list(shape) = []
    /// ```
    stateless_if StatelessIf cond (cond: one "cond", input: list "input", tout: dtypes "Tout", then_branch: function "then_branch", else_branch: function "else_branch") -> list {
        /// Sets `output_shapes: list(shape) = []`.
        output_shapes: shapes "output_shapes";
    }

    /// Begins a node of `StatelessWhile`.
    ///
    /// ```text
    /// StatelessWhile(input: T) -> (output: T)
    ///   T: list(type) >= 0
    ///   cond: func
    ///   body: func
    ///   output_shapes: list(shape) = []
    ///   parallel_iterations: int = 10
    /// ```
    stateless_while StatelessWhile graph (graph: graph "", input: list "input", cond: function "cond", body: function "body") -> list {
        /// Sets `output_shapes: list(shape) = []`.
        output_shapes: shapes "output_shapes";
        /// Sets `parallel_iterations: int = 10`.
        parallel_iterations: int "parallel_iterations";
    }

    /// Begins a node of `Switch`.
    ///
    /// ```text
    /// Switch(data: T, pred: bool) -> (output_false: T, output_true: T)
    ///   T: type
    /// ```
    switch Switch data (data: one "data", pred: one "pred") -> (SwitchOutputs output_false: one, output_true: one) {}

    /// Begins a node of `SymbolicGradient`.
    ///
    /// ```text
    /// SymbolicGradient(input: Tin) -> (output: Tout)
    ///   Tin: list(type) >= 1
    ///   Tout: list(type) >= 1
    ///   f: func
    /// ```
    symbolic_gradient SymbolicGradient graph (graph: graph "", input: list "input", tout: dtypes "Tout", f: function "f") -> list {}

    /// Begins a node of `While`, which has state.
    ///
    /// ```text
    /// While(input: T) -> (output: T)
    ///   T: list(type) >= 0
    ///   cond: func
    ///   body: func
    ///   output_shapes: list(shape) = []
    ///   parallel_iterations: int = 10
    /// ```
    while_ While graph (graph: graph "", input: list "input", cond: function "cond", body: function "body") -> list {
        /// Sets `output_shapes: list(shape) = []`.
        output_shapes: shapes "output_shapes";
        /// Sets `parallel_iterations: int = 10`.
        parallel_iterations: int "parallel_iterations";
    }
}
