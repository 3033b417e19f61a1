import type { CallOf } from '../support/scripted-model.ts'
import { usual } from '../support/usual-calls.ts'

/** One call of each tool that is not of the homelab. */
const others: readonly CallOf[] = [
  ['get_pbs_status', {}],
  ['get_pbs_snapshots', {}],
  ['drill_restore', { vmid: 101 }],
  ['list_restore_proofs', {}],
  ['wait_for', { target: 'vm/101', state: 'running' }],
  ['memory_search', { query: 'backup' }],
  ['memory_get', { path: 'MEMORY.md' }],
  ['memory_write', { text: 'The NAS is in the cellar.' }],
  ['list_changes', {}],
  ['undo', { change: 'chg_none' }],
  ['list_runbooks', {}],
  ['run_runbook', { name: 'none' }],
  ['ask_operator', { questions: [{ question: 'Which one?' }] }],
  ['schedule', { name: 'nightly', when: 'every day at 03:00', prompt: 'Look.' }],
  ['list_jobs', {}],
  ['cancel_job', { job: 'none' }],
  ['list_alerts', {}],
  ['delegate', { agent: 'main', task: 'Look.' }],
  ['read_result', { id: 'none' }],
  ['update_plan', { items: [{ text: 'Look.', state: 'open' }] }],
  ['propose_plan', { goal: 'Look.', steps: [{ toolName: 'get_vms', toolInput: {} }] }],
  ['undo_plan', { plan: 'none' }],
  ['use_skill', { name: 'none' }],
  ['web_search', { query: 'proxmox backup' }],
  ['web_fetch', { url: 'https://example.org/' }],
]

/** A call of every tool there is. */
export const everyCall: readonly CallOf[] = [...usual, ...others]

/** What a viewer may ask for: the tools that only look. */
export const looks = `
get_cluster_status get_node_status get_vms get_containers get_storage get_cluster_resources get_node_temperature
get_recent_tasks get_backups get_storage_health get_uncovered_guests get_task_log get_node_journal get_updates
get_ha_state get_firewall get_node_network get_replication list_snapshots get_guest_config get_pbs_status
get_pbs_snapshots list_restore_proofs wait_for memory_search memory_get list_changes list_runbooks ask_operator
list_jobs list_alerts delegate read_result update_plan use_skill web_fetch web_search
`

/** What a member may ask for whose role names one container that none of the calls is about: its part of a list, and what is of the conversation alone. */
export const narrowed = `
get_vms get_containers get_cluster_resources ask_operator delegate read_result update_plan
`

/** Calls about the member's own container. */
export const own: readonly [...CallOf, verdict: string][] = [
  ['restart_container', { vmid: 130 }, 'asks'],
  ['get_guest_config', { vmid: 130 }, 'runs'],
  ['list_snapshots', { vmid: 130 }, 'runs'],
  ['stop_container', { vmid: 130 }, 'black'],
  ['take_snapshot', { vmid: 130, name: 'now' }, 'black'],
  ['run_in_guest', { vmid: 130, command: ['hostname'] }, 'black'],
]
