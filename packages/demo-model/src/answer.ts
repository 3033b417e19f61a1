import type { ClusterState } from 'protocol'
import { listed, some } from './words.ts'

export const introduction =
  '*I am JARVIS’s built-in demo, sir: fixed rules, no language model. Connect a real one under Settings, Models, or with ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL in .env.*'

/** The things that the demo reads with each tool, in words that follow “I can look at”. */
const looks: Readonly<Record<string, string>> = {
  get_cluster_status: 'the cluster',
  get_cluster_resources: 'the cluster',
  get_node_status: 'its nodes',
  get_vms: 'guests',
  get_containers: 'guests',
  get_guest_config: 'their configuration',
  list_snapshots: 'snapshots',
  get_storage: 'storages',
  get_storage_health: 'disks and pools',
  get_node_temperature: 'temperatures',
  get_recent_tasks: 'tasks and their logs',
  get_task_log: 'tasks and their logs',
  get_node_journal: 'journals',
  get_updates: 'pending updates',
  get_ha_state: 'HA',
  get_node_network: 'networks of nodes',
  get_firewall: 'firewalls',
  get_replication: 'replication',
  get_backups: 'backups',
  get_uncovered_guests: 'backup jobs',
  get_pbs_status: 'the backup server',
  get_pbs_snapshots: 'the backup server',
  list_restore_proofs: 'restore proofs',
  list_alerts: 'alerts',
  memory_search: 'what you told me',
  memory_get: 'what you told me',
  list_changes: 'what I changed',
  read_file: 'files of JARVIS’s machine',
  glob_files: 'files of JARVIS’s machine',
  grep_files: 'files of JARVIS’s machine',
  read_git: 'Git repositories',
  web_fetch: 'pages of the web',
  web_search: 'what a search of the web finds',
  open_page: 'pages in a browser',
  read_page: 'pages in a browser',
  get_page_text: 'pages in a browser',
  take_screenshot: 'pages in a browser',
  go_back: 'pages in a browser',
  list_docker_containers: 'Docker containers and their logs',
  inspect_docker_container: 'Docker containers and their logs',
  get_docker_logs: 'Docker containers and their logs',
}
/** The actions of the demo with each tool, in words that follow “I can”. */
const deeds: Readonly<Record<string, string>> = {
  start_vm: 'start, stop and restart guests',
  stop_vm: 'start, stop and restart guests',
  restart_vm: 'start, stop and restart guests',
  start_container: 'start, stop and restart guests',
  stop_container: 'start, stop and restart guests',
  restart_container: 'start, stop and restart guests',
  restart_service: 'restart a service',
  wake_node: 'wake a node',
  reboot_node: 'reboot one or shut it down',
  shutdown_node: 'reboot one or shut it down',
  set_node_network: 'change its network',
  refresh_package_lists: 'refresh its package lists',
  run_replication: 'run a replication job',
  take_snapshot: 'take and delete snapshots and roll back to them',
  delete_snapshot: 'take and delete snapshots and roll back to them',
  rollback_snapshot: 'take and delete snapshots and roll back to them',
  set_guest_config: 'change cores, memory, notes, tags and names of guests',
  resize_disk: 'grow their disks',
  clone_guest: 'clone, move and destroy guests as far as the rules allow',
  migrate_guest: 'clone, move and destroy guests as far as the rules allow',
  destroy_guest: 'clone, move and destroy guests as far as the rules allow',
  back_up_guest: 'back guests up',
  restore_guest: 'restore a backup beside its guest',
  drill_restore: 'prove that a backup restores',
  execute_ssh: 'run a command that only reads',
  run_in_guest: 'run a command in a VM where you allowed it',
  memory_write: 'remember what you tell me to',
  ask_operator: 'ask you what no tool tells',
  undo: 'take a change of mine back',
  propose_plan: 'put several changes on one card, as a plan',
  use_skill: 'look by the book of a skill',
  delegate: 'ask other agents to look at something',
  edit_file: 'change a file',
  write_file: 'change a file',
  run_command: 'run a command in a sandbox, and apply what it would change',
  apply_changes: 'run a command in a sandbox, and apply what it would change',
  commit_files: 'commit files',
  click_element: 'click on a page',
  control_docker_container: 'start, stop and restart Docker containers, and run a program in one',
  run_in_docker_container: 'start, stop and restart Docker containers, and run a program in one',
}

/**
 * Tells what the demo can do, with examples that name real guests, nodes and storages.
 * @param tools names of the offered tools; nothing is mentioned that needs another tool
 */
export function abilities({ guests, nodes, storages }: ClusterState, tools: readonly string[]): string {
  const told = (words: typeof looks) => [
    ...new Set(Object.keys(words).flatMap((tool) => (tools.includes(tool) ? [words[tool] ?? ''] : []))),
  ]
  const [seen, done] = [told(looks), told(deeds)]
  const unspoken = tools.filter((tool) => !(tool in looks) && !(tool in deeds))
  const guest =
    guests.findLast(({ type, status, isProtected }) => type === 'ct' && status === 'running' && !isProtected) ??
    guests[0]
  const online = nodes.filter(({ status }) => status === 'online')
  const node = online.toSorted((a, b) => (b.temperatureC ?? 0) - (a.temperatureC ?? 0))[0]?.name ?? nodes[0]?.name
  /** The node with the fewest running guests to move. */
  const [idle] = online
    .filter(({ isProtected }) => !isProtected)
    .map(({ name }) => name)
    .toSorted((a, b) => running(a, guests) - running(b, guests))
  const [storage] = storages.filter(({ isActive }) => isActive).toSorted((a, b) => fill(b) - fill(a))
  const examples: [needs: string, text: string | false | undefined][] = [
    ['get_cluster_status', 'is everything fine?'],
    ['get_node_temperature', node && `why is ${node} hot?`],
    ['get_backups', 'why are backups missing?'],
    ['get_storage', storage && `what fills ${storage.name}?`],
    ['get_storage_health', 'are the disks healthy?'],
    ['get_recent_tasks', 'what happened today?'],
    ['execute_ssh', node && `run “df -h” on ${node}`],
    [`restart_${guest?.type === 'vm' ? 'vm' : 'container'}`, guest && `restart ${guest.name}`],
    ['take_snapshot', guest && `take a snapshot of ${guest.name}`],
    ['set_guest_config', guest && `give ${guest.name} 2 cores`],
    ['drill_restore', guest && `does the backup of ${guest.vmid} restore?`],
    ['propose_plan', idle && `move everything off ${idle} and reboot it`],
    ['use_skill', 'check my disks by the book'],
    ['ask_operator', 'ask me where backups should go'],
    ['undo', 'undo that'],
    ['delegate', 'ask another agent to look at the storages'],
    ['read_file', 'which files are there?'],
    ['edit_file', 'change the port in compose/jellyfin.yml to 8097'],
    ['run_command', 'run “grep -c ERROR jellyfin.log” in the sandbox over logs'],
    ['read_git', 'git log of compose'],
    ['web_fetch', 'open example.org and tell me what it says'],
    ['web_search', 'search the web for the latest jellyfin release'],
    ['open_page', 'open example.org in the browser'],
    ['list_docker_containers', 'which containers run in docker?'],
  ]
  const lines = examples.flatMap(([tool, text]) => (tools.includes(tool) && text ? [`- ${text}`] : []))
  return [
    [
      seen.length === 0 ? '' : `I can look at ${listed(seen)}, and search for causes.`,
      done.length === 0 ? '' : `I can ${done.join('; ')}. A card asks you before anything that the rules call risky.`,
      unspoken.length === 0
        ? ''
        : `For ${some(unspoken, 8)} I have no sentence: \`/${unspoken[0]}\` and its arguments call ${unspoken.length === 1 ? 'it' : 'the first of them'}.`,
    ]
      .filter((part) => part !== '')
      .join(' '),
    lines.length === 0 ? '' : `Try:\n\n${lines.join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const running = (node: string, guests: ClusterState['guests']) =>
  guests.filter((guest) => guest.node === node && guest.status === 'running').length

const fill = ({ usedBytes, totalBytes }: ClusterState['storages'][number]) => (usedBytes ?? 0) / (totalBytes || 1)
