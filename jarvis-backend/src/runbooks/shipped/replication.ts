export const replication = `---
name: Replication fails
inputs:
  job: { type: text, about: as in 100-0 }
  node: { type: node, optional: true }
alerts: [replication]
---
A replication job fails or is late. It runs once ahead of its schedule, and the last step waits until Proxmox counts no failure of it.

## 1. How the jobs are
tool: get_replication
args: { node: $node }

## 2. What the last tasks say
tool: get_recent_tasks
args: { node: $node, limit: 50 }

## 3. Replicate now
tool: run_replication
args: { job: $job }
verify:
  tool: get_replication
  args: { node: $node }
  until: $result.jobs(id=$job).failCount = 0 and $result.jobs(id=$job).isRunning = false
  within: 30 min
undo: none
`
