import type { ClusterState } from 'protocol'
import { castOf } from './intents.ts'
import { offer, offers } from './offers.ts'
import { leadsOf } from './state-offers.ts'
import { listed, some } from './words.ts'

/** Says once in a conversation that a demo answers. */
export const introduction =
  '*I am JARVIS’s built-in demo, sir: fixed rules, no language model. Connect a real one in Settings, Models.*'

type Words = Readonly<Record<string, string>>

/** The purpose of each tool that reads. */
const looks: Words = {
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
  list_alerts: 'alerts',
  list_jobs: 'jobs',
  list_runbooks: 'runbooks',
}
/** The purpose of each tool that changes something. */
const deeds: Words = {
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
  acknowledge_alert: 'acknowledge and silence alerts',
  silence_alert: 'acknowledge and silence alerts',
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
  execute_ssh: 'run a command that only reads',
  run_in_guest: 'run a command in a VM where you allowed it',
}
/** How the demo plans, proves and takes back. */
const care: Words = {
  restore_guest: 'restore a backup beside its guest',
  drill_restore: 'prove that a backup restores',
  propose_plan: 'put several changes on one card, as a plan',
  use_skill: 'look by the book of a skill',
  list_restore_proofs: 'prove that a backup restores',
  schedule: 'schedule a call',
  cancel_job: 'schedule a call',
  list_changes: 'take a change of mine back',
  undo: 'take a change of mine back',
}
/** Deeds beside the cluster. */
const besides: Words = {
  memory_search: 'what you told me',
  memory_get: 'what you told me',
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
  memory_write: 'remember what you tell me to',
  ask_operator: 'ask you what no tool tells',
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

/** The tools that the demo has sentences for. */
export const spokenTools: ReadonlySet<string> = new Set([looks, deeds, care, besides].flatMap(Object.keys))

/** Tells what the demo can do in five lines, each with sentences that name real guests and nodes. @param tools names of the offered tools */
export function abilities(cluster: ClusterState, tools: readonly string[]): string {
  const cast = castOf('', cluster)
  const words = (of: Words, most: number) =>
    some([...new Set(Object.keys(of).flatMap((tool) => (tools.includes(tool) ? [of[tool] ?? ''] : [])))], most)
  const unspoken = tools.filter((tool) => !spokenTools.has(tool))
  const line = (
    title: string,
    told: string,
    examples: readonly [tool: string, sentence: string | false | undefined][],
  ) => {
    const shown = examples.flatMap(([tool, sentence]) => (sentence && tools.includes(tool) ? [offer(sentence)] : []))
    if (told === '' && shown.length === 0) return []
    return [`- **${title}**${told === '' ? '' : ` ${told}`}${shown.length === 0 ? '' : `: ${listed(shown)}`}`]
  }
  const other =
    unspoken.length === 0
      ? ''
      : ` For ${some(unspoken, 4)} I have no sentence: type \`/${unspoken[0]}\` and its arguments.`
  return [
    ...line('Look', words(looks, 6) && `at ${words(looks, 6)}`, [
      ['get_cluster_status', 'is everything fine?'],
      ['get_recent_tasks', 'what happened today?'],
    ]),
    ...line('Find causes', '', [
      ['get_node_temperature', cast.node && `why is ${cast.node} hot?`],
      ['get_backups', 'why are backups missing?'],
      ['get_storage', cast.storage && `what fills ${cast.storage}?`],
    ]),
    ...line('Change', words(deeds, 4) && `after a card: ${words(deeds, 4)}`, [
      [`restart_${cast.meantType === 'vm' ? 'vm' : 'container'}`, cast.guest && `restart ${cast.guest}`],
      ['take_snapshot', cast.guest && `take a snapshot of ${cast.guest}`],
    ]),
    ...line('Plan, prove, undo', words(care, 6) && `: ${words(care, 6)}`, [
      ['drill_restore', cast.guest && `does the backup of ${cast.guest} restore?`],
      ['undo', 'undo that'],
    ]),
    ...line('Beside the cluster', words(besides, 5) && `: ${words(besides, 5)}`, [
      ['delegate', 'ask another agent to look at the storages'],
      ['list_docker_containers', 'which containers run in docker?'],
      ['read_file', 'which files are there?'],
    ]),
  ]
    .join('\n')
    .replaceAll('** :', '**:')
    .concat(other)
    .trim()
}

/** Greets with the state of the cluster, and offers four sentences that fit it. */
export function welcome(cluster: ClusterState, tools: readonly string[]): string {
  const leads = leadsOf(cluster).filter(({ tool }) => tools.includes(tool))
  const facts = leads.slice(0, 3).map(({ fact }) => fact)
  const state = facts.length === 0 ? '. Nothing of the cluster stands out.' : `: ${listed(facts)}.`
  const usual: [tool: string, sentence: string | undefined][] = [
    ['list_alerts', 'which alerts are firing?'],
    ['get_cluster_status', 'is everything fine?'],
    ['get_recent_tasks', 'what happened today?'],
    ['get_vms', 'what uses the most memory?'],
    ['get_storage_health', 'are the disks healthy?'],
  ]
  const sentences = [
    ...leads.slice(0, 3).map(({ sentence }) => sentence),
    ...usual.flatMap(([tool, sentence]) => (sentence !== undefined && tools.includes(tool) ? [sentence] : [])),
  ]
  return [`Good day, sir${state}`, offers([...new Set(sentences)].slice(0, 4))]
    .filter((part) => part !== '')
    .join('\n\n')
}
