//! Real server processes: what they promise when others die, stop, misbehave or go away.
//!
//! Users of distributed TensorFlow have long asked for most of this. Where it is shown, here, and in one process in
//! `tests/tests/cluster.rs`:
//!
//! | promise | tests |
//! |---|---|
//! | start-up is bounded, with a verdict for each task | `behaviour::a_task_that_cannot_be_reached_gets_a_verdict`, `a_server_of_another_kind_gets_a_verdict_at_once`, `another_task_at_an_address_fails_at_once`, `cluster::start_up_is_bounded_and_every_task_gets_a_verdict` |
//! | deadline and cancel reach everything; a lost peer ends the step | `faults::*`, `connections::a_network_that_falls_silent_is_noticed`, `cluster::a_deadline_ends_a_step_that_waits_on_another_task` |
//! | a server stops when told to, or when the job is done | `behaviour::a_server_with_steps_stops_when_told_to_*`, `servers_end_by_themselves_when_the_job_is_done` |
//! | nobody needs to read what a server says | `behaviour::a_server_goes_on_when_nobody_reads_what_it_says` |
//! | its port is free at once; a taken port is named | `behaviour::a_server_with_steps_stops_when_told_to_*`, `a_server_says_why_it_does_not_start`, `two_servers_cannot_have_one_port_and_the_first_goes_on`, `cluster::a_stopped_server_frees_its_port_at_once` |
//! | closing is bounded | `behaviour::closing_is_bounded_when_a_task_has_stopped`, `cluster::closing_ends_a_step_that_waits_on_another_task` |
//! | only tasks that a graph names are contacted | `cluster::only_tasks_that_are_named_are_contacted`, the client "apart" in `faults::*` |
//! | a restarted task is named with a code that makes clients recover; a stopped one is reconnected | `faults::*`, `cluster::a_task_that_restarted_is_named_with_a_code_that_makes_clients_recover` |
//! | a dropped connection costs at most the steps that ran | `connections::*` |
//! | tensors above 2 GiB travel, or are refused up front | `behaviour::a_tensor_above_two_gigabytes_travels_over_links_and_is_refused_over_grpc` |
//! | who may come in comes in, others are told why not | `admission::*` |
//! | servers need no files: the chief saves for them | `saving::*` |
//! | memory does not grow; nothing of those who went stays | `behaviour::memory_does_not_grow_over_thousands_of_steps_and_dozens_of_sessions`, `a_client_that_goes_while_its_session_is_opened_leaves_nothing`, `faults::*`, `cluster::abandoned_sessions_are_collected` |

mod admission;
mod attacks;
mod behaviour;
mod connections;
mod faults;
mod fleet;
mod hostile_calls;
mod hostile_frames;
mod pages;
mod program;
mod proxy;
mod random;
mod saving;
