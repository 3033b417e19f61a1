import type { Grammar } from '../grammar.ts'
import { list, number, vmid, when, word } from '../patterns.ts'

const none: Grammar = {}
const node = '[A-Za-z0-9][A-Za-z0-9-]*'

/** Sub-commands that change guests, and the tool to use instead. */
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
const lists: Grammar = { sub: { list: none } }
const upid = /^UPID:[\w:@!.+-]+$/

/** The optional value of a switch: 0 or 1. */
const bit = /^[01]$/

const guest = (extra: Grammar): Grammar => ({ operands: [vmid], min: 1, ...extra })
const guestPrograms = {
  list: { optional: { '--full': bit } },
  status: guest({ optional: { '--verbose': bit } }),
  config: guest({ optional: { '--current': bit }, values: { '--snapshot': word } }),
  pending: guest({}),
  listsnapshot: guest({}),
}

/** Allowed paths of the Proxmox API about the cluster. Accounts, tokens, keys and everything inside a guest are left out. */
const apiPaths = new RegExp(
  `^/?(?:${[
    '',
    'version',
    'pools(?:/[\\w-]+)?',
    'cluster/(?:jobs|sdn|sdn/(?:vnets|zones)|mapping/(?:pci|usb|dir)|config/(?:nodes|totem))',
    'storage(?:/[\\w-]+)?',
    'cluster',
    'cluster/(?:status|resources|tasks|log|nextid|options|replication|backup|backup-info/not-backed-up)',
    'cluster/ha(?:/(?:groups|resources|rules|status|status/current|status/manager_status))?',
    'cluster/(?:backup/[\\w-]+|firewall/(?:refs|ipset/[\\w-]+)|notifications(?:/targets)?)',
    'cluster/(?:ceph/(?:status|metadata|flags)|firewall/(?:options|rules|aliases|ipset|groups))',
    'nodes',
    `nodes/${node}`,
    `nodes/${node}/(?:status|services|tasks|storage|network|qemu|lxc|dns|time|version|rrddata|hosts|netstat|replication|syslog|journal|aplinfo)`,
    `nodes/${node}/(?:certificates/info|vzdump/defaults|capabilities/qemu/(?:cpu|machines)|firewall/(?:options|rules|log))`,
    `nodes/${node}/(?:services/[\\w@.-]+(?:/state)?|replication/[\\w-]+/(?:status|log)|scan/usb|network/[\\w.:-]+|storage/[\\w-]+/(?:status|content|rrddata|prunebackups))`,
    `nodes/${node}/(?:disks/(?:list|smart|zfs|lvm|lvmthin|directory)|disks/zfs/[\\w-]+|apt/(?:update|versions|repositories)|hardware/(?:pci|usb))`,
    `nodes/${node}/ceph/(?:status|osd|mon|mgr|mds|pools?|fs|log|rules|crush|osd/\\d{1,4}/metadata)`,
    `nodes/${node}/tasks/UPID:[\\w:@!.+-]+/(?:status|log)`,
    `nodes/${node}/(?:qemu|lxc)/\\d{3,9}(?:|/status)`,
    `nodes/${node}/(?:qemu|lxc)/\\d{3,9}/(?:status/current|config|pending|snapshot|snapshot/[\\w-]+/config|rrddata|feature|interfaces|firewall|firewall/(?:options|rules|log))`,
    `nodes/${node}/qemu/\\d{3,9}/agent/(?:info|get-osinfo|get-fsinfo|get-host-name|get-time|get-timezone|get-vcpus|get-users|network-get-interfaces)`,
  ].join('|')})/?$`,
)
const agentReads =
  /^(?:ping|info|get-osinfo|get-fsinfo|get-host-name|get-time|get-timezone|get-vcpus|get-users|network-get-interfaces)$/

const output = {
  optional: { '--noborder': bit, '--noheader': bit, '--human-readable': bit },
  values: { '--output-format': /^(?:text|json|json-pretty|yaml)$/ },
}

/** Proxmox's own programs. */
export const proxmoxPrograms: Readonly<Record<string, Grammar>> = {
  pveversion: { words: ['-v', '--verbose'] },
  pvecm: { sub: { status: none, nodes: none } },
  pvesm: {
    oneDash: true,
    sub: {
      status: { values: { '--storage': word, '--content': list, '--target': word }, optional: { '--enabled': bit } },
      list: { operands: [word], min: 1, values: { '--vmid': vmid, '--content': list } },
      path: { operands: [/^[A-Za-z][\w-]*:[\w./-]+$/], min: 1 },
      lvmscan: none,
      zfsscan: none,
      lvmthinscan: { operands: [word], min: 1 },
      apiinfo: none,
    },
  },
  pvesh: {
    oneDash: true,
    sub: {
      get: {
        ...output,
        optional: {
          ...output.optional,
          '--full': bit,
          '--errors': bit,
          '--enabled': bit,
          '--current': bit,
          '--skipsmart': bit,
          '--include-partitions': bit,
        },
        values: {
          ...output.values,
          '--type':
            /^(?:vm|storage|node|sdn|bridge|bond|eth|vlan|any_bridge|any_local_bridge|zfspool|dir|nfs|cifs|lvm|lvmthin|rbd|pbs)$/,
          '--typefilter': word,
          '--statusfilter': list,
          '--userfilter': word,
          '--name': word,
          '--poolid': word,

          '--limit': number,
          '--max': number,
          '--since': when,
          '--until': when,
          '--start': number,
          '--vmid': vmid,
          '--storage': word,
          '--content': list,

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
  pveam: { oneDash: true, sub: { available: { values: { '--section': word } }, list: { operands: [word], min: 1 } } },
  pvenode: {
    oneDash: true,
    sub: {
      task: {
        sub: {
          list: {
            optional: { '--errors': bit },
            values: {
              '--limit': number,
              '--vmid': vmid,
              '--typefilter': word,
              '--since': when,
              '--until': when,
              '--source': /^(?:all|active|archive)$/,
              '--output-format': /^(?:text|json|json-pretty|yaml)$/,
            },
          },
          log: { operands: [upid], min: 1 },
          status: { operands: [upid], min: 1 },
        },
      },
      cert: { sub: { info: none } },
    },
  },
  'proxmox-boot-tool': { sub: { status: none, kernel: { sub: { list: none } } } },
  'proxmox-backup-manager': {
    sub: {
      versions: none,
      datastore: { sub: { list: none } },
      disk: { sub: { list: none } },
      cert: { sub: { info: none } },
      'verify-job': lists,
      'sync-job': lists,
      'prune-job': lists,
      network: lists,
      task: {
        sub: { list: { words: ['--all'], values: { '--limit': number } }, log: { operands: [upid], min: 1 } },
      },
      'garbage-collection': { sub: { list: none, status: { operands: [word], min: 1 } } },
    },
  },
  'corosync-cfgtool': { words: ['-s', '-n', '-b'], needs: [['-s', '-n']] },
  'corosync-quorumtool': { words: ['-s', '-l', '-i'] },
  pvesr: { oneDash: true, sub: { list: none, status: { values: { '--guest': vmid } } } },
  'pve-firewall': { sub: { status: none, localnet: none, compile: none } },
  pveceph: { sub: { status: none, pool: { sub: { ls: none } }, lspools: none } },
  'ha-manager': {
    oneDash: true,
    sub: {
      status: { optional: { '--verbose': bit } },
      config: { values: { '--type': /^(?:vm|ct)$/ } },
      groupconfig: none,
      rules: { sub: { config: none, list: none } },
    },
    deniedSubs: haChanges,
  },
  qm: {
    oneDash: true,
    sub: {
      ...guestPrograms,
      showcmd: guest({ optional: { '--pretty': bit }, values: { '--snapshot': word } }),
      agent: { operands: [vmid, agentReads], min: 2 },
      guest: { sub: { cmd: { operands: [vmid, agentReads], min: 2 } } },
    },
    deniedSubs: guestChanges('vm'),
  },
  pct: { oneDash: true, sub: { ...guestPrograms, cpusets: none }, deniedSubs: guestChanges('container') },
  'lxc-info': {
    values: { '-n': vmid, '--name': vmid },
    words: ['-s', '-p', '-i', '-S', '-H'],
    needs: [['-n', '--name']],
  },
  'lxc-ls': { words: ['-f', '--fancy', '-1', '--running', '--stopped', '--active'] },
}
