export const pveVersion = 'pve-manager/9.0.11/3bf5476b8a4699e2'
export const kernel = '6.14.11-4-pve'

/** Services the demo nodes know, by systemd's names without `.service`. */
export const knownServices: ReadonlySet<string> = new Set([
  ...['chrony', 'corosync', 'cron', 'ksmtuned', 'lxcfs', 'networking', 'nginx', 'postfix', 'prometheus-node-exporter'],
  ...[
    'pve-cluster',
    'pve-firewall',
    'pve-ha-crm',
    'pve-ha-lrm',
    'pvedaemon',
    'pvefw-logger',
    'pveproxy',
    'pvescheduler',
  ],
  ...['pvestatd', 'qmeventd', 'rsyslog', 'smartmontools', 'spiceproxy', 'ssh', 'sshd', 'zfs-zed'],
])

export const serviceName = (unit: string): string => unit.replace(/\.service$/, '')
