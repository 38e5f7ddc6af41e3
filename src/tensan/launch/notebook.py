"""The report as a small table for notebooks: self-contained, every text escaped."""

from __future__ import annotations

from tensan.core.report import Report, ordered, summary_line
from tensan.core.sites import shown_path

_MOST = 50
_TEMPLATE = """\
<div style="font-family: monospace; font-size: 90%">
{%- if findings %}
<table style="border-collapse: collapse">
<thead><tr>
{%- for heading in ("", "finding", "where", "help") %}<th style="text-align: left; padding: 2px 8px">{{ heading }}</th>{% endfor -%}
</tr></thead>
<tbody>
{%- for told in findings %}
<tr style="vertical-align: top">
<td style="padding: 2px 8px; white-space: nowrap; color: {{ colours[told.level] }}"><b>{{ told.level }}[{{ told.code }}]</b></td>
<td style="padding: 2px 8px; text-align: left">{{ told.message }}{% if told.label %}<br><i>{{ told.label }}</i>{% endif %}</td>
<td style="padding: 2px 8px; text-align: left" title="{{ told.source.strip() }}">
{%- if told.path %}{{ shown_path(told.path) }}:{{ told.line }}{% endif -%}
</td>
<td style="padding: 2px 8px; text-align: left">{{ told.help }}</td>
</tr>
{%- endfor %}
</tbody></table>
{%- endif %}
{%- if left_out %}<div>... and {{ left_out }} more</div>{% endif %}
{%- for note in notes %}<div>note: {{ note }}</div>{% endfor %}
<div><b>{{ summary }}</b></div>
</div>
"""


def table(report: Report) -> str:
    """Returns the root causes of a report as HTML."""
    from jinja2 import Environment

    roots = ordered(report.roots)
    return (
        Environment(autoescape=True)
        .from_string(_TEMPLATE)
        .render(
            findings=roots[:_MOST],
            left_out=max(0, len(roots) - _MOST),
            notes=report.run.notes,
            summary=summary_line(report),
            colours={"error": "#c00", "warning": "#a60", "hint": "#068"},
            shown_path=shown_path,
        )
    )
