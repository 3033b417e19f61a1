export const certificate = `---
name: Certificate runs out
inputs:
  node: { type: node }
alerts: [certificate]
---
The certificate of a node runs out soon: its renewal failed, or the web server still shows the old one. The last tasks and the journal
show why a renewal failed. The web server is started again, so that it shows a renewed certificate; running guests are not touched.

## 1. Did a renewal fail
tool: get_recent_tasks
args: { node: $node, limit: 100 }

## 2. What the journal says of it
tool: get_node_journal
args: { node: $node, contains: acme, sinceMinutes: 1440 }

## 3. Show the present certificate
tool: restart_service
args: { node: $node, service: pveproxy }
verify:
  tool: get_node_status
  args: { node: $node }
  until: $result.name = $node
  within: 2 min
undo: none
`
