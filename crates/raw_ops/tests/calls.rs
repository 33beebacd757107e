//! Nodes that the generated functions build run.

use tensorfleet::prelude::*;
use tensorfleet::raw_ops;

fn fetched(g: &Graph, outputs: &[Output]) -> Vec<Tensor> {
    let request = outputs.iter().fold(RunRequest::new(), |request, output| request.fetch(output));
    LocalSession::new(g).unwrap().fetch(request).unwrap()
}

#[test]
fn one_output_with_optional_attributes_and_a_name() {
    let g = Graph::new();
    let (a, b) = (g.constant([[1f32, 2.0]]), g.constant([[3f32, 4.0]]));
    let product = raw_ops::mat_mul(&a, &b).transpose_b(true).name("product").output();
    assert_eq!(product.name().unwrap().to_string(), "product:0");
    assert_eq!(fetched(&g, &[product]), [Tensor::from([[11f32]])]);
}

#[test]
fn several_outputs_by_name() {
    let g = Graph::new();
    let best = raw_ops::top_k_v2(&g.constant([1f32, 5.0, 3.0]), &g.constant(2)).outputs();
    assert_eq!(fetched(&g, &[best.values, best.indices]), [Tensor::from([5f32, 3.0]), Tensor::from([1, 2])]);
}

#[test]
fn lists_as_inputs() {
    let g = Graph::new();
    let values = [g.constant([1]), g.constant([2, 3])];
    let joined = raw_ops::concat_v2(&values, &g.constant(0)).output();
    let sum = raw_ops::add_n(&g, &[g.constant(1f32), g.constant(2f32)]).output();
    assert_eq!(fetched(&g, &[joined, sum]), [Tensor::from([1, 2, 3]), Tensor::from(3f32)]);
}

#[test]
fn lists_as_outputs() {
    let g = Graph::new();
    let pieces = raw_ops::split(&g.constant(0), &g.constant([1, 2, 3, 4]), 2).outputs();
    assert_eq!(fetched(&g, &pieces), [Tensor::from([1, 2]), Tensor::from([3, 4])]);
}

/// Lists among the outputs have the lengths that attributes say: here the types of the dense columns.
#[test]
fn lists_beside_single_outputs() {
    let g = Graph::new();
    let none = g.constant(Tensor::string_vector(Vec::<String>::new()));
    let serialized = g.constant(Tensor::string_vector([""]));
    let key = |name: &str| g.constant(name.to_owned());
    let defaults = [g.constant([1f32]), g.constant([2i64])];
    let parsed = raw_ops::parse_example(
        &serialized,
        &none,
        &[key("sparse")],
        &[key("a"), key("b")],
        &defaults,
        &[DType::Float],
        &[[1].into(), [1].into()],
    );
    let parsed = parsed.outputs();
    assert_eq!((parsed.sparse_indices.len(), parsed.sparse_values.len(), parsed.sparse_shapes.len()), (1, 1, 1));
    assert_eq!(fetched(&g, &parsed.dense_values), [Tensor::from([[1f32]]), Tensor::from([[2i64]])]);
}

#[test]
fn required_attributes_are_arguments() {
    let g = Graph::new();
    let x = raw_ops::cast(&g.constant([1.5f32, -2.5]), DType::Int32).output();
    let image = g.constant(Tensor::new([1, 4, 4, 1], vec![0f32; 16]).unwrap());
    let filter = g.constant(Tensor::new([2, 2, 1, 3], vec![0f32; 12]).unwrap());
    let y = raw_ops::conv2d(&image, &filter, &[1, 2, 2, 1], "VALID").output();
    assert_eq!(y.shape().to_string(), "[1,2,2,3]");
    assert_eq!(fetched(&g, &[x]), [Tensor::from([1, -2])]);
}

#[test]
fn a_stateful_op_draws_anew_in_every_step() {
    let g = Graph::new();
    let random = raw_ops::random_uniform(&g.constant([2]), DType::Float).seed(1).seed2(2).output();
    let session = LocalSession::new(&g).unwrap();
    let draw = || session.fetch(RunRequest::new().fetch(&random)).unwrap();
    assert_ne!(draw(), draw());
}

#[test]
fn a_handle_of_a_resource() {
    let g = Graph::new();
    let handle = raw_ops::var_handle_op(&g, DType::Float, PartialShape::scalar()).shared_name("v").output();
    let assign = raw_ops::assign_variable_op(&handle, &g.constant(2f32)).build();
    let add = raw_ops::assign_add_variable_op(&handle, &g.constant(3f32)).control_inputs(&[assign]).build();
    let read = raw_ops::read_variable_op(&handle, DType::Float).control_inputs(&[add]).output();
    assert_eq!(fetched(&g, &[read]), [Tensor::from(5f32)]);
}

#[test]
fn the_type_of_an_empty_list_is_stated() {
    let g = Graph::new();
    let text = raw_ops::string_format(&g, &[]).template("nothing").output();
    assert_eq!(fetched(&g, &[text]), [Tensor::from("nothing")]);
}

/// A mistake is kept with the place of the call, and what follows from it adds no second one.
#[test]
fn a_mistake_is_reported_at_the_call() {
    let g = Graph::new();
    let best = raw_ops::top_k_v2(&g.constant(1f32), &g.constant(true)).outputs();
    raw_ops::neg(&best.values).build();
    let error = g.check().unwrap_err();
    assert!(error.message().contains("calls.rs:"), "{error}");
}
