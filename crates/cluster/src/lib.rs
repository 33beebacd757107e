//! Runs a graph on many machines: servers, master and worker services
