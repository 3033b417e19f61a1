export const upsShutdown = `---
name: Power fails, everything shuts down
inputs:
  node: { type: node, about: the node that goes last }
max_age: 15 min
alerts: [ups]
---
The power supply runs on its battery. Every other node shuts down with its guests, and then the last one: the one that
JARVIS runs on. Nodes are started again by
hand, or with wake_node.

## 1. Which nodes are on
tool: get_cluster_status
as: cluster

## 2. Shut a node down
tool: shutdown_node
each: $cluster.nodes
when: $item.status = online and $item.name != $node
args: { node: $item.name }

## 3. Shut the last one down
tool: shutdown_node
args: { node: $node }
`
