"""Containers over the Docker SDK: the engine, a warm container, the base image, and whose containers are whose."""
