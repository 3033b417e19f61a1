import type { ClusterState, Guest } from 'protocol'
import { expect, test } from 'vitest'
import { withOffers } from './offers.ts'
import type { Message } from './request.ts'
import { understand } from './understand.ts'

/** The CPU time of `work` in this process, ms. */
function cpuMs(work: () => unknown): number {
  const begunAt = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begunAt)
  return (user + system) / 1_000
}

const guest = (vmid: number, type: Guest['type'], name: string, node: string, status: Guest['status'] = 'running') => ({
  vmid,
  type,
  name,
  node,
  status,
  isProtected: false,
  uptimeS: 9,
  cpuRatio: 0,
  cpuCount: 1,
  isHa: false,
  tags: [],
  ramBytes: 0,
  ramTotalBytes: 1,
  diskBytes: 0,
  diskTotalBytes: 1,
})
const node = (name: string, status: 'online' | 'offline' = 'online') => ({ name, status, isProtected: false })
const storage = (name: string, node: string, used: number, isActive = true) => ({
  name,
  node,
  type: 'dir',
  content: ['backup', 'images', 'rootdir'],
  isActive,
  usedBytes: used,
  totalBytes: 1,
})
const cluster: ClusterState = {
  name: 'lab',
  isDemo: true,
  at: Date.UTC(2026, 10, 21, 6, 42),
  tasks: [],
  isQuorate: true,
  missing: [],
  storages: [
    storage('gone', 'pve', 0, false),
    storage('tank', 'pve', 0.9),
    storage('dump', 'pve', 0.1),
    storage('far', 'agent1', 0),
  ],
  nodes: [node('Home'), node('pve'), node('agent1'), node('agent', 'offline')],
  guests: [
    guest(101, 'vm', 'homeassistant', 'Home'),
    guest(104, 'ct', 'jellyfin', 'pve'),
    guest(105, 'ct', 'immich', 'pve'),
    guest(140, 'ct', 'uptime-kuma', 'agent1'),
    guest(142, 'vm', 'win11-lab', 'pve', 'stopped'),
    guest(150, 'vm', 'web', 'pve'),
    guest(151, 'ct', 'web', 'agent1'),
  ],
}

const shownValue = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : value)
/** `stop_vm 101 force; wake_node agent` */
const brief = (message: string, earlier: Message[] = []) =>
  understand(message, cluster, earlier)
    .calls.map(({ toolName, toolInput }) =>
      [
        toolName,
        ...Object.entries(toolInput).map(([k, v]) => (k === 'vmid' || k === 'node' ? v : `${k}=${shownValue(v)}`)),
      ].join(' '),
    )
    .join('; ')

test.each([
  // Power
  ['stop 101', 'stop_vm 101'],
  ['Stop 101 and jellyfin.', 'stop_vm 101; stop_container 104'],
  ['stop 101, 104 and immich', 'stop_vm 101; stop_container 104; stop_container 105'],
  ['stop 101 104 105', 'stop_vm 101; stop_container 104; stop_container 105'],
  ['Please restart Jellyfin', 'restart_container 104'],
  ['Jarvis, could you please reboot VM 101 now?', 'restart_vm 101'],
  ['bounce immich', 'restart_container 105'],
  ['power-cycle 101', 'restart_vm 101'],
  ['shut down home assistant', 'stop_vm 101'],
  ['shutdown 101', 'stop_vm 101'],
  ['shut jellyfin down', 'stop_container 104'],
  ['turn off the jellyfin container', 'stop_container 104'],
  ['turn jellyfin off please', 'stop_container 104'],
  ['turn 101 and 104 off', 'stop_vm 101; stop_container 104'],
  ['power off uptime kuma', 'stop_container 140'],
  ['start 142', 'start_vm 142'],
  ['boot up win11-lab', 'start_vm 142'],
  ['turn on win11 lab', 'start_vm 142'],
  ['wake 142', 'start_vm 142'],
  ['force stop 105', 'stop_container 105 force=true'],
  ['force-stop 105', 'stop_container 105 force=true'],
  ['stop 105 forcefully', 'stop_container 105 force=true'],
  ['kill immich', 'stop_container 105 force=true'],
  ['pull the plug on 101', 'stop_vm 101 force=true'],
  ['force restart 101', 'restart_vm 101 force=true'],
  ['stop vm 104', 'stop_container 104'],
  ['stop 101 on Home', 'stop_vm 101 Home'],
  ['stop 101 and start 142', 'stop_vm 101; start_vm 142'],
  ['stop 101, then start it again', 'stop_vm 101; start_vm 101'],
  ['turn 101 off and switch 142 on', 'stop_vm 101; start_vm 142'],
  ['turn off 101 and turn 142 on', 'stop_vm 101; start_vm 142'],
  ['restart 101 because it is slow', 'restart_vm 101'],
  ['I want you to stop 101', 'stop_vm 101'],
  ['stop web on agent1', 'stop_container 151 agent1'],
  ['stop the web vm', 'stop_vm 150'],
  ['stop all containers on pve', 'stop_container 104; stop_container 105'],
  ['start all vms', 'start_vm 142'],
  // Services and nodes
  ['restart nginx on pve', 'restart_service pve service=nginx'],
  ['Restart the pveproxy.service service on pve', 'restart_service pve service=pveproxy.service'],
  ['restart jellyfin on pve', 'restart_container 104 pve'],
  ['wake agent', 'wake_node agent'],
  ['wake up agent 1', 'wake_node agent1'],
  ['power on agent', 'wake_node agent'],
  // Commands
  ['run "df -h" on pve', 'execute_ssh pve command=df -h'],
  ['run df -h on pve please', 'execute_ssh pve command=df -h'],
  ['execute `zpool status` on Home', 'execute_ssh Home command=zpool status'],
  ['df -h on pve', 'execute_ssh pve command=df -h'],
  ['"uptime" on pve', 'execute_ssh pve command=uptime'],
  ['ssh pve uptime', 'execute_ssh pve command=uptime'],
  ['ssh into root@pve and run Df -H', 'execute_ssh pve command=Df -H'],
  ['free -h on pve', 'execute_ssh pve command=free -h'],
  ['on agent1, run uptime', 'execute_ssh agent1 command=uptime'],
  ['run uptime on pve and agent1', 'execute_ssh pve command=uptime; execute_ssh agent1 command=uptime'],
  ['run rm -rf / on pve', 'execute_ssh pve command=rm -rf /'],
  [
    'run "journalctl -u nginx; echo done, and stop" on pve',
    'execute_ssh pve command=journalctl -u nginx; echo done, and stop',
  ],
  // Questions
  ['how hot is pve?', 'get_node_temperature pve'],
  ['temperature', 'get_node_temperature Home; get_node_temperature pve; get_node_temperature agent1'],
  ["what's running?", 'get_vms status=running; get_containers status=running'],
  ['what is running on pve', 'get_vms pve status=running; get_containers pve status=running'],
  ['list vms', 'get_vms'],
  ['show me the containers on agent1', 'get_containers agent1'],
  ['which vms are stopped?', 'get_vms status=stopped'],
  ['list vms and containers', 'get_vms; get_containers'],
  ['status of pve', 'get_node_status pve'],
  ['How is agent1 doing?', 'get_node_status agent1'],
  ['pve', 'get_node_status pve'],
  ['cluster status', 'get_cluster_status'],
  ['is the cluster healthy', 'get_cluster_status'],
  ['are there any problems?', 'get_cluster_status'],
  ['what uses the most memory?', 'get_vms; get_containers'],
  ['cpu load of pve', 'get_node_status pve'],
  ['cluster resources', 'get_cluster_resources'],
  ['storage', 'get_storage'],
  ['how much disk space is left on pve?', 'get_storage pve'],
  ['free space on pve', 'get_storage pve'],
  ['backups of 105', 'get_backups 105'],
  ['when was jellyfin last backed up?', 'get_backups 104'],
  ['list backups', 'get_backups'],
  ['recent tasks', 'get_recent_tasks'],
  ['last 100 tasks on pve', 'get_recent_tasks pve limit=100'],
  ['is jellyfin running?', 'get_containers pve'],
  ['status of 101', 'get_vms Home'],
  ['cluster status and how hot is pve', 'get_cluster_status; get_node_temperature pve'],
  ['stop 101 and tell me the temperature of pve', 'stop_vm 101; get_node_temperature pve'],
  // Snapshots
  ['take a snapshot of jellyfin', 'take_snapshot 104 name=at-20261121-064200'],
  ['Please snapshot 104 as before-upgrade.', 'take_snapshot 104 name=before-upgrade'],
  [
    'take a snapshot of 101, 104 and immich called x1',
    'take_snapshot 101 name=at-20261121-064200; take_snapshot 104 name=at-20261121-064200; take_snapshot 105 name=at-20261121-064200',
  ],
  ['take a snapshot of 104 and restart it', 'take_snapshot 104 name=at-20261121-064200; restart_container 104'],
  ['which snapshots does jellyfin have?', 'list_snapshots 104'],
  ['list the snapshots of 101', 'list_snapshots 101'],
  ['roll 105 back to before-upgrade', 'rollback_snapshot 105 name=before-upgrade'],
  ['roll back immich to the snapshot "v1"', 'rollback_snapshot 105 name=v1'],
  ['delete the snapshot v1 of 105', 'delete_snapshot 105 name=v1'],
  // Configuration
  ['give jellyfin 4 cores / 8 GB', 'set_guest_config 104 set={"cores":4,"memory":8192}'],
  ['give jellyfin 4 cores and 8 GB of memory', 'set_guest_config 104 set={"cores":4,"memory":8192}'],
  ['give 104 512 MB', 'set_guest_config 104 set={"memory":512}'],
  ['set the memory of 101 to 4 GiB', 'set_guest_config 101 set={"memory":4096}'],
  ['set cores of 101 to 2', 'set_guest_config 101 set={"cores":2}'],
  [
    'note on 104: films, series and 105. Restart it first!',
    'set_guest_config 104 set={"description":"films, series and 105. Restart it first!"}',
  ],
  ['set the description of jellyfin to "media"', 'set_guest_config 104 set={"description":"media"}'],
  ['tag 104 as media', 'set_guest_config 104 set={"tags":"media"}'],
  ['rename jellyfin to films', 'set_guest_config 104 set={"hostname":"films"}'],
  ['rename 101 to haos', 'set_guest_config 101 set={"name":"haos"}'],
  ['start 104 at boot', 'set_guest_config 104 set={"onboot":1}'],
  ['show the config of 104', 'get_guest_config 104'],
  ['how many cores does jellyfin have?', 'get_guest_config 104'],
  ['grow the disk rootfs of jellyfin by 10 GB', 'resize_disk 104 disk=rootfs addGib=10'],
  ['grow scsi0 of 101 by 10 GiB', 'resize_disk 101 disk=scsi0 addGib=10'],
  // Backups
  ['back up 104 now', 'back_up_guest 104 storage=dump'],
  ['start a backup of jellyfin to TANK', 'back_up_guest 104 storage=tank'],
  ['does the backup of 104 restore?', 'drill_restore 104'],
  ['test the newest backup of jellyfin', 'drill_restore 104'],
  ['run a restore drill for 104', 'drill_restore 104'],
  ['can 104 be restored?', 'drill_restore 104'],
  ['which backups are proven?', 'list_restore_proofs'],
  ['show the restore proofs', 'list_restore_proofs'],
  ['which alerts are firing?', 'list_alerts'],
  ['show the alerts', 'list_alerts'],
  ['which guests are in no backup job?', 'get_uncovered_guests'],
  ['is the backup of 104 verified?', 'get_pbs_snapshots 104'],
  ['how is the backup server?', 'get_pbs_status'],
  // Guests as a whole
  ['clone 105 as dns2', 'clone_guest 105 newId=106 name=dns2'],
  ['clone jellyfin to 200 called films', 'clone_guest 104 newId=200 name=films'],
  ['move 104 to agent1', 'migrate_guest 104 target=agent1'],
  ['migrate jellyfin to the node Home', 'migrate_guest 104 target=Home'],
  ['destroy 142', 'destroy_guest 142 name=win11-lab'],
  ['delete 101', 'destroy_guest 101 name=homeassistant'],
  ['run "df -h" in 101', 'run_in_guest 101 command=["df","-h"]'],
  // Nodes and the house
  ['reboot pve', 'reboot_node pve'],
  ['shut down agent1', 'shutdown_node agent1'],
  ['are the disks healthy?', 'get_storage_health'],
  ['are the disks of pve healthy?', 'get_storage_health pve'],
  ['show me the journal of pve', 'get_node_journal pve'],
  ['which updates are pending on agent1?', 'get_updates agent1'],
  ['refresh the package lists on pve', 'refresh_package_lists pve'],
  ['show the network of pve', 'get_node_network pve'],
  ['set the mtu of vmbr0 on PVE to 9000', 'set_node_network pve iface=vmbr0 set={"mtu":"9000"}'],
  ['what is the HA status?', 'get_ha_state'],
  ['show the firewall of 104', 'get_firewall 104'],
  ['is the replication ok?', 'get_replication'],
  ['run the replication job 104-0', 'run_replication job=104-0'],
  ['show the log of the last task of 104', 'get_task_log 104'],
  ['show the log of the failed task', 'get_task_log failed=true'],
  ['what did you change today?', 'list_changes'],
  ['show me your changes', 'list_changes'],
  // As people type
  ['stop vm101 and CT-104', 'stop_vm 101; stop_container 104'],
  ['jellyfin is stuck, restart it', 'restart_container 104'],
  ['is jellyfin running? if not, start it', 'get_containers pve; start_container 104'],
  ['restart 101, it hangs', 'restart_vm 101'],
  ['turn jellyfin off and on again', 'restart_container 104'],
  ['would you mind restarting jellyfin, Jarvis?', 'restart_container 104'],
  ['we need to restart 101', 'restart_vm 101'],
  ['send a magic packet to agent', 'wake_node agent'],
  ['what runs on agent1?', 'get_vms agent1; get_containers agent1'],
  ['is pve overheating?', 'get_node_temperature pve'],
  ['how full is local-lvm', 'get_storage'],
  ['how is imich', 'get_containers pve'],
  ['is jelyfin runing?', 'get_containers pve'],
  ['wich guests use most memmory', 'get_vms; get_containers'],
  ['temprature of pve', 'get_node_temperature pve'],
  ['is evrything ok', 'get_cluster_status'],
  ['whats up?', 'get_cluster_status'],
  ['anything I should worry about?', 'get_cluster_status'],
  ['what do you remember about the NAS?', 'memory_search query=the NAS'],
  // Not orders
  ["don't stop 101", ''],
  ['do not restart 101 and 104', ''],
  ['should I stop 101?', 'get_vms Home'],
  ['why did 101 stop', 'get_vms Home'],
  ['what happens if I restart jellyfin', 'get_containers pve'],
  ['write me a poem', ''],
  ['install nginx on pve', ''],
  ['stop', ''],
  ['stop constructor', ''],
])('%s', (message, calls) => {
  expect(brief(message)).toBe(calls)
})

const user = (text: string): Message => ({ role: 'user', results: [], text })
const called = (...calls: [string, Record<string, unknown>][]): Message => ({
  role: 'assistant',
  model: 'demo',
  content: calls.map(([toolName, toolInput], i) => ({ type: 'tool_call', toolUseId: `tu_${i}`, toolName, toolInput })),
})
const two: Message[] = [
  user('start 101 and jellyfin'),
  called(['start_vm', { vmid: 101 }], ['start_container', { vmid: 104 }]),
]

test.each<[Message[], string, string]>([
  [[called(['stop_vm', { vmid: 101 }])], 'restart it', 'restart_vm 101'],
  [[called(['stop_vm', { vmid: 101 }])], 'and start it again', 'start_vm 101'],
  [two, 'now stop them', 'stop_vm 101; stop_container 104'],
  [two, 'restart both', 'restart_vm 101; restart_container 104'],
  [two, 'restart it', ''],
  [
    [...two, user('how hot is pve'), called(['get_node_temperature', { node: 'pve' }])],
    'and its storage?',
    'get_storage pve',
  ],
  [[user('is jellyfin running?'), called(['get_containers', { node: 'pve' }])], 'restart it', 'restart_container 104'],
  [[called(['get_node_status', { node: 'agent' }])], 'wake it up', 'wake_node agent'],
  [[called(['stop_vm', { vmid: 101 }])], 'try again', 'stop_vm 101'],
  [[called(['execute_ssh', { node: 'pve', command: 'uptime' }])], 'run df -h', 'execute_ssh pve command=df -h'],
  [[], 'restart it', ''],
  [
    [user('kill 101'), called(['stop_vm', { vmid: 101, force: true }])],
    'and jellyfin too',
    'stop_container 104 force=true',
  ],
  [[user('backups of 101'), called(['get_backups', { vmid: 101 }])], 'and of jellyfin?', 'get_backups 104'],
  [two, 'and web?', ''],
  [[...two, user('hello')], 'and immich?', 'get_containers pve'],
  [
    [user('run uptime on pve'), called(['execute_ssh', { node: 'pve', command: 'uptime' }])],
    'same on agent1',
    'execute_ssh agent1 command=uptime',
  ],
  [
    [user('how hot is pve'), called(['get_node_temperature', { node: 'pve' }])],
    'what about the others?',
    'get_node_temperature Home; get_node_temperature agent1; get_node_temperature agent',
  ],
])('after %j: %s', (earlier, message, calls) => {
  expect(brief(message, earlier)).toBe(calls)
})

test.each([
  ['stop 999', 'There is no guest 999.'],
  ['stop 999', '104 jellyfin'],
  ['stop constructor', 'nothing called “constructor”'],
  ['stop plex', 'nothing called “plex”'],
  ['stop 101 and plex', 'nothing called “plex”'],
  ['restart web', '150 (web, a VM on pve), or 151 (web, a container on agent1)?'],
  ['stop', 'Which one, sir?'],
  ['stop the nginx service on pve', 'not stop one'],
  ['restart the nginx service', 'On which node, sir? There are Home, pve, agent1, agent'],
  ['run uptime on mars', 'no node called “mars”'],
  ['run uptime', 'On which node'],
  ['yes', 'on its card'],
  ['do not stop 101', 'leave that as it is'],
  ['stop jelyfin', 'Do you mean jellyfin (104)?'],
  ['start the migration of 101', 'no sentence like that with “migration”'],
  ['create a vm', 'no sentence like that with “create”'],
  ['take a snapshot of plex', 'nothing called “plex”'],
  ['take a snapshot of jelyfin', 'Do you mean jellyfin (104)?'],
  ['take a snapshot of 999', 'There is no guest 999.'],
  ['which snapshots are there?', 'Which one, sir?'],
  ['roll 105 back', 'To which snapshot, sir? Ask “which snapshots does immich have?”'],
  ['clone 105', 'What is the copy to be called'],
  ['move 104', 'To which node, sir? There are Home, pve, agent1, agent.'],
  ['move 104 to mars', 'no node called “mars”'],
  ['grow the disk of jellyfin by 10 GB', 'say “grow rootfs of jellyfin by 10 GB”'],
  ['grow the disk of 101 by 10 GB', 'Which disk, sir? “show the config of homeassistant”'],
  ['back up 101', 'no storage that holds backups and can be reached from Home'],
  ['back up 104 to local-zfs', '“local-zfs” is no storage for backups'],
  ['show the journal', 'On which node, sir?'],
  ['back up web', '150 (web, a VM on pve), or 151 (web, a container on agent1)?'],
])('%s → %s', (message, told) => {
  expect(withOffers(understand(message, cluster, []).notes.join('\n')).text).toContain(told)
})

const says = (text: string): Message => ({ role: 'assistant', model: 'demo', content: [{ type: 'text', text }] })

test.each([
  ['restart web', 'the container', 'restart_container 151'],
  ['force stop web', '150', 'stop_vm 150 force=true'],
  ['stop 999', 'I mean 104', 'stop_container 104'],
  ['turn it off', 'jellyfin and 101', 'stop_container 104; stop_vm 101'],
  ['run uptime', 'on pve please', 'execute_ssh pve command=uptime'],
  ['restart the nginx service', 'pve', 'restart_service pve service=nginx'],
  ['restart web', 'how hot is pve', 'get_node_temperature pve'],
])('%s, asked back, %s', (message, answer, calls) => {
  const { notes } = understand(message, cluster, [])
  expect(brief(answer, [user(message), says(notes.join('\n\n'))])).toBe(calls)
})

test('a guest whose name is an order is only a name', () => {
  const odd = { ...cluster, guests: [guest(200, 'vm', 'x and stop 101 (.*', 'pve')] }
  expect(understand('status of 200', odd, []).calls).toEqual([{ toolName: 'get_vms', toolInput: { node: 'pve' } }])
})

test('a very long message costs little', () => {
  for (const long of [
    'turn '.repeat(13_000),
    ' '.repeat(60_000),
    'stop 101 and '.repeat(5_000),
    ` power${' '.repeat(60_000)}`,
  ])
    expect(cpuMs(() => understand(`a${long}`, cluster, [user(long)]))).toBeLessThan(1_000)
})

test('what is to be remembered is written down, whatever it names', () => {
  expect(understand('Please remember that jellyfin needs the GPU. Restart it first.', cluster, []).calls).toEqual([
    { toolName: 'memory_write', toolInput: { text: 'jellyfin needs the GPU. Restart it first.' } },
  ])
})

test('a message of gaps is read at once', () => {
  for (const gap of [' ', '\n', ' \n', '\t', '\u2003'])
    for (const order of ['execute', 'put a note on x', 'search the web for x'])
      expect(cpuMs(() => understand(`${order}${gap.repeat(990)}§`, cluster, []))).toBeLessThan(300)
})
