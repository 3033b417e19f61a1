export const quorum = `---
name: Quorum lost or node away
inputs:
  node: { type: node, optional: true, about: the node to wake }
max_age: 30 min
alerts: [quorum, node-away]
---
Too few nodes see each other, or one is away. This shows who is missing, and wakes the node that is given, if it is off. It never
lowers the votes that a quorum needs.

## 1. Who is there
tool: get_cluster_status
as: cluster

## 2. How HA is
tool: get_ha_state

## 3. What happened last
tool: get_recent_tasks
args: { limit: 50 }

## 4. Wake the node
tool: wake_node
when: $node != none and $cluster.nodes(name=$node).status != online
args: { node: $node }
verify:
  tool: get_cluster_status
  args: {}
  until: $result.nodes(name=$node).status = online
  within: 5 min
`
