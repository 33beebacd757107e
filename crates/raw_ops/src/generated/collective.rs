//! The ops of the group `collective`. Written by `cargo xtask generate`; not to be edited.

ops! {
    /// Begins a node of `CollectiveAllToAllV2`, which has state.
    ///
    /// ```text
    /// CollectiveAllToAllV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token:
    ///     Nordering_token * resource) -> (data: T)
    ///   T: type in {bfloat16, float, half, double, int32, int64}
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    ///   is_stateless: bool = false
    ///   Nordering_token: int >= 0 = 0
    /// ```
    collective_all_to_all_v2 CollectiveAllToAllV2 input (input: one "input", group_size: one "group_size", group_key: one "group_key", instance_key: one "instance_key", ordering_token: list "ordering_token") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
        /// Sets `is_stateless: bool = false`.
        is_stateless: bool "is_stateless";
    }

    /// Begins a node of `CollectiveAllToAllV3`, which has state.
    ///
    /// ```text
    /// CollectiveAllToAllV3(input: T, communicator: resource, group_assignment: int32) -> (data: T)
    ///   T: type in {bfloat16, float, half, double, int32, int64}
    ///   timeout_seconds: float = 0
    /// ```
    collective_all_to_all_v3 CollectiveAllToAllV3 input (input: one "input", communicator: one "communicator", group_assignment: one "group_assignment") -> one {
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }

    /// Begins a node of `CollectiveAssignGroupV2`, which has state.
    ///
    /// ```text
    /// CollectiveAssignGroupV2(group_assignment: int32, device_index: int32, base_key: int32) -> (group_size: int32,
    ///     group_key: int32)
    /// ```
    collective_assign_group_v2 CollectiveAssignGroupV2 group_assignment (group_assignment: one "group_assignment", device_index: one "device_index", base_key: one "base_key") -> (CollectiveAssignGroupV2Outputs group_size: one, group_key: one) {}

    /// Begins a node of `CollectiveBcastRecv`, which has state.
    ///
    /// ```text
    /// CollectiveBcastRecv() -> (data: T)
    ///   T: type in {bool, float, half, double, int32, int64}
    ///   group_size: int
    ///   group_key: int
    ///   instance_key: int
    ///   shape: shape
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    /// ```
    collective_bcast_recv CollectiveBcastRecv graph (graph: graph "", t: dtype "T", group_size: int "group_size", group_key: int "group_key", instance_key: int "instance_key", shape: shape "shape") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }

    /// Begins a node of `CollectiveBcastRecvV2`, which has state.
    ///
    /// ```text
    /// CollectiveBcastRecvV2(group_size: int32, group_key: int32, instance_key: int32, shape: Tshape) -> (data: T)
    ///   T: type in {bool, float, half, double, int32, int64}
    ///   Tshape: type in {int32, int64} = int32
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    /// ```
    collective_bcast_recv_v2 CollectiveBcastRecvV2 group_size (group_size: one "group_size", group_key: one "group_key", instance_key: one "instance_key", shape: one "shape", t: dtype "T") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }

    /// Begins a node of `CollectiveBcastSend`, which has state.
    ///
    /// ```text
    /// CollectiveBcastSend(input: T) -> (data: T)
    ///   T: type in {bool, float, half, double, int32, int64}
    ///   group_size: int
    ///   group_key: int
    ///   instance_key: int
    ///   shape: shape
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    /// ```
    collective_bcast_send CollectiveBcastSend input (input: one "input", group_size: int "group_size", group_key: int "group_key", instance_key: int "instance_key", shape: shape "shape") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }

    /// Begins a node of `CollectiveBcastSendV2`, which has state.
    ///
    /// ```text
    /// CollectiveBcastSendV2(input: T, group_size: int32, group_key: int32, instance_key: int32) -> (data: T)
    ///   T: type in {bool, float, half, double, int32, int64}
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    /// ```
    collective_bcast_send_v2 CollectiveBcastSendV2 input (input: one "input", group_size: one "group_size", group_key: one "group_key", instance_key: one "instance_key") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }

    /// Begins a node of `CollectiveGather`, which has state.
    ///
    /// ```text
    /// CollectiveGather(input: T) -> (data: T)
    ///   T: type in {float, half, double, int32, int64}
    ///   group_size: int
    ///   group_key: int
    ///   instance_key: int
    ///   shape: shape
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    /// ```
    collective_gather CollectiveGather input (input: one "input", group_size: int "group_size", group_key: int "group_key", instance_key: int "instance_key", shape: shape "shape") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }

    /// Begins a node of `CollectiveGatherV2`, which has state.
    ///
    /// ```text
    /// CollectiveGatherV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token:
    ///     Nordering_token * resource) -> (data: T)
    ///   T: type in {float, half, double, int32, int64}
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    ///   is_stateless: bool = false
    ///   Nordering_token: int >= 0 = 0
    /// ```
    collective_gather_v2 CollectiveGatherV2 input (input: one "input", group_size: one "group_size", group_key: one "group_key", instance_key: one "instance_key", ordering_token: list "ordering_token") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
        /// Sets `is_stateless: bool = false`.
        is_stateless: bool "is_stateless";
    }

    /// Begins a node of `CollectiveInitializeCommunicator`, which has state.
    ///
    /// ```text
    /// CollectiveInitializeCommunicator(group_key: int32, rank: int32, group_size: int32) -> (communicator: resource)
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    /// ```
    collective_initialize_communicator CollectiveInitializeCommunicator group_key (group_key: one "group_key", rank: one "rank", group_size: one "group_size") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }

    /// Begins a node of `CollectiveReduce`, which has state.
    ///
    /// ```text
    /// CollectiveReduce(input: T) -> (data: T)
    ///   T: type in {bfloat16, float, half, double, int32, int64}
    ///   group_size: int
    ///   group_key: int
    ///   instance_key: int
    ///   merge_op: string in ["Min", "Max", "Mul", "Add"]
    ///   final_op: string in ["Id", "Div"]
    ///   subdiv_offsets: list(int)
    ///   wait_for: list(int) = []
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    /// ```
    collective_reduce CollectiveReduce input (input: one "input", group_size: int "group_size", group_key: int "group_key", instance_key: int "instance_key", merge_op: string "merge_op", final_op: string "final_op", subdiv_offsets: ints "subdiv_offsets") -> one {
        /// Sets `wait_for: list(int) = []`.
        wait_for: ints "wait_for";
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }

    /// Begins a node of `CollectiveReduceScatterV2`, which has state.
    ///
    /// ```text
    /// CollectiveReduceScatterV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token:
    ///     Nordering_token * resource) -> (data: T)
    ///   T: type in {bfloat16, float, half, double, int32, int64}
    ///   merge_op: string in ["Min", "Max", "Mul", "Add"]
    ///   final_op: string in ["Id", "Div"]
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    ///   is_stateless: bool = false
    ///   Nordering_token: int >= 0 = 0
    ///   max_subdivs_per_device: int = -1
    /// ```
    collective_reduce_scatter_v2 CollectiveReduceScatterV2 input (input: one "input", group_size: one "group_size", group_key: one "group_key", instance_key: one "instance_key", ordering_token: list "ordering_token", merge_op: string "merge_op", final_op: string "final_op") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
        /// Sets `is_stateless: bool = false`.
        is_stateless: bool "is_stateless";
        /// Sets `max_subdivs_per_device: int = -1`.
        max_subdivs_per_device: int "max_subdivs_per_device";
    }

    /// Begins a node of `CollectiveReduceV2`, which has state.
    ///
    /// ```text
    /// CollectiveReduceV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token:
    ///     Nordering_token * resource) -> (data: T)
    ///   T: type in {bfloat16, float, half, double, int32, int64}
    ///   merge_op: string in ["Min", "Max", "Mul", "Add"]
    ///   final_op: string in ["Id", "Div"]
    ///   communication_hint: string = 'auto'
    ///   timeout_seconds: float = 0
    ///   is_stateless: bool = false
    ///   Nordering_token: int >= 0 = 0
    ///   max_subdivs_per_device: int = -1
    /// ```
    collective_reduce_v2 CollectiveReduceV2 input (input: one "input", group_size: one "group_size", group_key: one "group_key", instance_key: one "instance_key", ordering_token: list "ordering_token", merge_op: string "merge_op", final_op: string "final_op") -> one {
        /// Sets `communication_hint: string = 'auto'`.
        communication_hint: string "communication_hint";
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
        /// Sets `is_stateless: bool = false`.
        is_stateless: bool "is_stateless";
        /// Sets `max_subdivs_per_device: int = -1`.
        max_subdivs_per_device: int "max_subdivs_per_device";
    }

    /// Begins a node of `CollectiveReduceV3`, which has state.
    ///
    /// ```text
    /// CollectiveReduceV3(input: T, communicator: resource, group_assignment: int32) -> (data: T)
    ///   T: type in {bfloat16, float, half, double, int32, int64}
    ///   reduction: string in ["Min", "Max", "Mul", "Add"]
    ///   timeout_seconds: float = 0
    /// ```
    collective_reduce_v3 CollectiveReduceV3 input (input: one "input", communicator: one "communicator", group_assignment: one "group_assignment", reduction: string "reduction") -> one {
        /// Sets `timeout_seconds: float = 0`.
        timeout_seconds: float "timeout_seconds";
    }
}
