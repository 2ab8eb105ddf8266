"""TOOL_LOG_MEMORY: every tool call, whole."""

from django.db import models

from .thread import Thread
from .turn import Turn


class ToolLogMemory(models.Model):
    """One call of a tool with its full result (R10), by thread and in order."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="tool_logs")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, null=True, related_name="tool_logs")
    tool_call_id = models.CharField(max_length=200, null=True)
    tool_name = models.CharField(max_length=200)
    tool_args = models.TextField()
    result = models.TextField()
    result_preview = models.TextField()
    status = models.CharField(max_length=8, choices=[("success", "success"), ("failed", "failed")])
    error_message = models.TextField(null=True)
    metadata = models.JSONField(default=dict)
    timestamp = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "tool_log_memory"
