# Written by stubs.py; do not edit.

from tensorfleet._contrib.arg_scope import add_arg_scope as add_arg_scope
from tensorfleet._contrib.variables import add_model_variable as add_model_variable
from tensorfleet._contrib.arg_scope import arg_scope as arg_scope
from tensorfleet._contrib.arg_scope import arg_scoped_arguments as arg_scoped_arguments
from tensorfleet._contrib.variables import assert_global_step as assert_global_step
from tensorfleet._contrib.variables import assert_or_get_global_step as assert_or_get_global_step
from tensorfleet._contrib.variables import create_global_step as create_global_step
from tensorfleet._contrib.variables import get_global_step as get_global_step
from tensorfleet._contrib.variables import get_local_variables as get_local_variables
from tensorfleet._contrib.variables import get_model_variables as get_model_variables
from tensorfleet._contrib.variables import get_or_create_global_step as get_or_create_global_step
from tensorfleet._contrib.variables import get_trainable_variables as get_trainable_variables
from tensorfleet._contrib.variables import get_unique_variable as get_unique_variable
from tensorfleet._contrib.variables import get_variable_full_name as get_variable_full_name
from tensorfleet._contrib.variables import get_variables as get_variables
from tensorfleet._contrib.variables import get_variables_by_name as get_variables_by_name
from tensorfleet._contrib.variables import get_variables_by_suffix as get_variables_by_suffix
from tensorfleet._contrib.variables import get_variables_to_restore as get_variables_to_restore
from tensorfleet._contrib.variables import global_variable as global_variable
from tensorfleet._contrib.arg_scope import has_arg_scope as has_arg_scope
from tensorfleet._train.restoring import init_from_checkpoint as init_from_checkpoint
from tensorfleet._train.checkpoints import list_variables as list_variables
from tensorfleet._train.checkpoints import load_checkpoint as load_checkpoint
from tensorfleet._train.checkpoints import load_variable as load_variable
from tensorfleet._contrib.variables import local_variable as local_variable
from tensorfleet._contrib.variables import model_variable as model_variable
from tensorfleet._framework import nest as nest
from tensorfleet._contrib.variables import variable as variable

__all__ = [
    "add_arg_scope", "add_model_variable", "arg_scope", "arg_scoped_arguments", "assert_global_step",
    "assert_or_get_global_step", "create_global_step", "get_global_step", "get_local_variables", "get_model_variables",
    "get_or_create_global_step", "get_trainable_variables", "get_unique_variable", "get_variable_full_name",
    "get_variables", "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore", "global_variable",
    "has_arg_scope", "init_from_checkpoint", "list_variables", "load_checkpoint", "load_variable", "local_variable",
    "model_variable", "nest", "variable"
]
