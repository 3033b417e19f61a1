import type { Grammar } from './ssh-grammar.ts'
import { list, number, vmid, word } from './ssh-patterns.ts'

const none: Grammar = {}
const node = '[A-Za-z0-9][A-Za-z0-9-]*'

/** What changes a guest, and the tool that knows what it is and what depends on it. */
const guestChanges = (type: 'vm' | 'container'): Record<string, string> => ({
  start: `starts a guest; use start_${type}`,
  ...Object.fromEntries(['stop', 'shutdown'].map((verb) => [verb, `stops a guest; use stop_${type}`])),
  ...Object.fromEntries(['reboot', 'reset'].map((verb) => [verb, `restarts a guest; use restart_${type}`])),
  ...Object.fromEntries(['exec', 'enter', 'monitor', 'terminal'].map((verb) => [verb, 'acts inside a guest'])),
  unlock: 'takes a lock away that a task may hold; look at its tasks first',
  snapshot: 'changes a guest, and here nothing would look at its locks or its protection',
})
const haChanges = Object.fromEntries(
  'add set remove migrate relocate crm-command groupadd groupset groupremove'
    .split(' ')
    .map((verb) => [verb, 'changes what HA does with guests']),
)
const upid = /^UPID:[\w:@!.-]+$/

const guest = (extra: Grammar): Grammar => ({ operands: [vmid], min: 1, ...extra })
const guestPrograms = {
  list: { words: ['--full'] },
  status: guest({ words: ['--verbose'] }),
  config: guest({ words: ['--current'], values: { '--snapshot': word } }),
  pending: guest({}),
  listsnapshot: guest({}),
}

/** What the API answers about the cluster; accounts, tokens, keys and everything inside a guest stay out. */
const apiPaths = new RegExp(
  `^/?(?:${[
    'version',
    'pools(?:/[\\w-]+)?',
    'cluster/(?:jobs|sdn|sdn/(?:vnets|zones)|mapping/(?:pci|usb|dir)|config/(?:nodes|totem))',
    'storage(?:/[\\w-]+)?',
    'cluster',
    'cluster/(?:status|resources|tasks|log|nextid|options|replication|backup|backup-info/not-backed-up)',
    'cluster/ha(?:/(?:groups|resources|rules|status|status/current|status/manager_status))?',
    'cluster/(?:ceph/(?:status|metadata|flags)|firewall/(?:options|rules|aliases|ipset|groups))',
    'nodes',
    `nodes/${node}`,
    `nodes/${node}/(?:status|services|tasks|storage|network|qemu|lxc|dns|time|version|rrddata|hosts|netstat|replication|syslog|journal|aplinfo)`,
    `nodes/${node}/(?:certificates/info|vzdump/defaults|capabilities/qemu/(?:cpu|machines)|firewall/(?:options|rules|log))`,
    `nodes/${node}/(?:services/[\\w@.-]+/state|network/[\\w.:-]+|storage/[\\w-]+/(?:status|content|rrddata|prunebackups))`,
    `nodes/${node}/(?:disks/(?:list|smart|zfs|lvm|lvmthin|directory)|disks/zfs/[\\w-]+|apt/(?:update|versions)|hardware/(?:pci|usb))`,
    `nodes/${node}/ceph/(?:status|osd|mon|mgr|mds|pool|fs|log|rules)`,
    `nodes/${node}/tasks/UPID:[\\w:@!.-]+/(?:status|log)`,
    `nodes/${node}/(?:qemu|lxc)/\\d{3,9}(?:|/status)`,
    `nodes/${node}/(?:qemu|lxc)/\\d{3,9}/(?:status/current|config|pending|snapshot|rrddata|feature|interfaces|firewall/(?:options|rules))`,
    `nodes/${node}/qemu/\\d{3,9}/agent/(?:info|get-osinfo|get-fsinfo|get-host-name|get-time|get-timezone|get-vcpus|get-users|network-get-interfaces)`,
  ].join('|')})/?$`,
)
const agentReads =
  /^(?:ping|info|get-osinfo|get-fsinfo|get-host-name|get-time|get-timezone|get-vcpus|get-users|network-get-interfaces)$/

const output = {
  words: ['--noborder', '--noheader', '--human-readable'],
  values: { '--output-format': /^(?:text|json|json-pretty|yaml)$/ },
}

/** Proxmox's own programs. */
export const proxmoxPrograms: Readonly<Record<string, Grammar>> = {
  pveversion: { words: ['-v', '--verbose'] },
  pvecm: { sub: { status: none, nodes: none } },
  pvesm: {
    sub: {
      status: { values: { '--storage': word, '--content': list, '--target': word }, words: ['--enabled'] },
      list: { operands: [word], min: 1, values: { '--vmid': vmid, '--content': list } },
      path: { operands: [/^[A-Za-z][\w-]*:[\w./-]+$/], min: 1 },
    },
  },
  pvesh: {
    sub: {
      get: {
        ...output,
        values: {
          ...output.values,
          '--type': /^(?:vm|storage|node|sdn)$/,
          ...{ '--limit': number, '--max': number, '--since': number, '--until': number },
          '--start': number,
          '--vmid': vmid,
          '--storage': word,
          '--content': list,
          '--full': /^[01]$/,
          '--errors': /^[01]$/,
          '--source': /^(?:all|active|archive)$/,
          '--timeframe': /^(?:hour|day|week|month|year)$/,
          '--cf': /^(?:AVERAGE|MAX)$/,
          '--disk': /^\/dev\/[A-Za-z0-9/]+$/,
          '--lastentries': number,
          '--service': word,
        },
        operands: [apiPaths],
        min: 1,
      },
      ls: { operands: [apiPaths], min: 1 },
    },
  },
  pveam: { sub: { available: { values: { '--section': word } }, list: { operands: [word], min: 1 } } },
  pvenode: {
    sub: {
      task: {
        sub: {
          list: { words: ['--errors'], values: { '--limit': number, '--vmid': vmid, '--typefilter': word } },
          ...{ log: { operands: [upid], min: 1 }, status: { operands: [upid], min: 1 } },
        },
      },
      cert: { sub: { info: none } },
    },
  },
  'proxmox-boot-tool': { sub: { kernel: { sub: { list: none } } } },
  'proxmox-backup-manager': {
    sub: {
      ...{ versions: none, datastore: { sub: { list: none } }, task: { sub: { list: none } } },
      'garbage-collection': { sub: { list: none, status: { operands: [word], min: 1 } } },
    },
  },
  'corosync-cfgtool': { words: ['-s', '-n', '-b'], needs: [['-s', '-n']] },
  'corosync-quorumtool': { words: ['-s', '-l', '-i'] },
  pvesr: { sub: { list: none, status: { values: { '--guest': vmid } } } },
  'pve-firewall': { sub: { status: none, localnet: none, compile: none } },
  pveceph: { sub: { status: none, pool: { sub: { ls: none } }, lspools: none } },
  'ha-manager': {
    sub: {
      status: { words: ['--verbose'], optional: { '--verbose': /^[01]$/ } },
      config: { values: { '--type': /^(?:vm|ct)$/ } },
      groupconfig: none,
      rules: { sub: { config: none, list: none } },
    },
    deniedSubs: haChanges,
  },
  qm: {
    sub: {
      ...guestPrograms,
      showcmd: guest({ words: ['--pretty'], values: { '--snapshot': word } }),
      agent: { operands: [vmid, agentReads], min: 2 },
      guest: { sub: { cmd: { operands: [vmid, agentReads], min: 2 } } },
    },
    deniedSubs: guestChanges('vm'),
  },
  pct: { sub: { ...guestPrograms, cpusets: none }, deniedSubs: guestChanges('container') },
  'lxc-info': {
    values: { '-n': vmid, '--name': vmid },
    words: ['-s', '-p', '-i', '-S', '-H'],
    needs: [['-n', '--name']],
  },
  'lxc-ls': { words: ['-f', '--fancy', '-1', '--running', '--stopped'] },
}
