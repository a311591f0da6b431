"""DynamoDB, or what speaks its protocol, at the endpoint that the environment names: a table of our own."""

from benchbook.engines.dynamodb.service import ENDPOINT, identity
from benchbook.engines.dynamodb.table import Table, private_table

__all__ = ["ENDPOINT", "Table", "identity", "private_table"]
