import type { Target } from 'protocol'
import { named } from 'redaction/visible'
import { plainService } from 'ssh-grammar/services'
import { type Effect, noTarget } from '../effect.ts'

/**
 * Services that can be restarted without harm: those that a homelab node may run beside Proxmox, and Proxmox's own that only collect data or
 * schedule jobs.
 */
const harmless: ReadonlySet<string> = new Set(
  `pvestatd pvescheduler ksmtuned rrdcached chrony ntp ntpsec openntpd cron rsyslog syslog-ng postfix smartmontools
  prometheus prometheus-node-exporter node_exporter prometheus-pve-exporter prometheus-smartctl-exporter grafana-server
  prometheus-alertmanager loki promtail alloy telegraf collectd netdata zabbix-agent zabbix-agent2 checkmk-agent glances
  beszel-agent snmpd lldpd vnstat avahi-daemon cups nginx apache2 caddy lighttpd jellyfin plexmediaserver emby-server
  navidrome sonarr radarr lidarr prowlarr bazarr sabnzbdplus transmission-daemon qbittorrent-nox syncthing`.split(
    /\s+/,
  ),
)

/** Matches instances of templates that are harmless in every instance. Instances of other templates are not known. */
const harmlessTemplate = /^syncthing@[\w.-]+$/

/** @param id the unit's name in systemd; a timer or socket with the same name is a different unit */
const isHarmless = (id: string): boolean => {
  const name = id.replace(/\.service$/, '')
  return harmless.has(name) || harmlessTemplate.test(name)
}

/** Groups of names that mean the same service on most nodes. Used if a node cannot be asked. */
const sameService = [
  'ssh sshd',
  'mysql mysqld mariadb',
  'smbd smb samba',
  'nfs-server nfs-kernel-server nfsd',
  'chrony chronyd',
  'cron crond',
  'rsyslog syslog',
  'named bind9',
  'apache2 httpd',
  'smartmontools smartd',
  'isc-dhcp-server isc-dhcp-server4 dhcpd',
  'networkmanager network-manager',
].map((names) => names.split(' '))

/** Returns all known names of a service, each without `.service`. The name that the call used comes first. */
export function serviceNames(service: string, { unit }: Pick<Target, 'unit'>): string[] {
  if (service === '') return []
  const known = [service, ...(unit?.names ?? []), ...(unit === undefined ? [] : [unit.id])]
  const plain = new Set(known.map(plainService))
  const usual = sameService.filter((names) => names.some((name) => plain.has(name))).flat()
  return [...new Set([...known.map((name) => name.replace(/\.service$/, '')), ...usual])]
}

/** Returns the unit that a call would change, and its node; undefined if the call changes none. */
export function unitAsked(effects: readonly Effect[]): { node: string; service: string } | undefined {
  const effect = effects.find(({ isUnit }) => isUnit)
  const { service, target: { node } = noTarget } = effect ?? {}
  return node === undefined || service === undefined ? undefined : { node, service }
}

/** Returns why a restart of the service does, or may do, more than stop the service for some seconds; undefined if it is known to do no more. */
export function restartDoubt(service: string, { unit, unitMissing, node }: Target): string | undefined {
  const name = named(service)
  const place = named(node ?? '')
  if (unit === undefined) {
    const why = unitMissing === undefined ? '' : ` (${unitMissing.replace(/\.$/, '')})`
    return `${place} could not be asked what ${name} is${why}, so a restart may do more than it seems.`
  }
  const { id, type, loadState, activeState, subState } = unit
  const self = plainService(id) === plainService(service) ? name : `${name}, which is ${named(id)},`
  if (loadState !== 'loaded') return `${self} is ${named(loadState)} on ${place}: what a restart does is not known.`
  if (activeState !== 'active') return `${self} is ${named(activeState)} on ${place}: a restart would start it.`
  if (type === 'oneshot' || subState !== 'running')
    return `${self} is no service that keeps running: a restart does its work once more.`
  return isHarmless(id) ? undefined : `${self} is not among the services whose restart is known to be harmless.`
}
