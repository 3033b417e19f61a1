/**
 * A normalised path: absolute (a relative path starts at root's home), without `//` and `.`, in lower case, because some file systems ignore case.
 */
type Path = {
  shown: string
  full: string
  name: string
  /** The file's name and, for a copy, the name of the original: `id_rsa` for `id_rsa.bak`. */
  names: readonly string[]
  folders: readonly string[]
}

/** Folders whose whole content is secret. They match below any prefix, because the root of a guest lies inside its node's file system. */
const secretFolders = new RegExp(
  `/(?:${[
    'var/lib/pve-cluster',
    'etc/(?:wireguard|openvpn|ipsec\\.d|kubernetes|rancher|networkmanager/system-connections|wpa_supplicant|iwd|sudoers\\.d)',
    'etc/(?:vault\\.d|consul\\.d|nomad\\.d|cloudflared|borgmatic|restic|luks|cryptsetup-keys\\.d|credstore(?:\\.encrypted)?)',
    'etc/(?:letsencrypt/(?:archive|live|keys|accounts)|dehydrated/(?:accounts|certs)|apt/auth\\.conf\\.d|zfs/keys)',
    'run/(?:secrets|credentials|containers)',
    'var/lib/(?:kubelet|vault|consul|rancher|tailscale|systemd/(?:credential|credentials)|bluetooth|iwd|tor|acme|dehydrated)',
    'var/lib/(?:sss|samba|networkmanager|k0s|cloudflared|headscale|zerotier-one|netbird|jenkins)',
    'etc/(?:freeradius|raddb|swanctl|netbird|nebula|tinc|vpnc|openfortivpn|bareos|bacula|crowdsec/bouncers|dkimkeys|creds)',
    '(?:vaultwarden|vw-data|bitwarden(?:_rs)?|authelia)',
  ].join('|')})(?:/|$)`,
)
const secretFolder =
  /^(?:priv|\.?secrets?|private|credentials?|creds|passwords?|(?:private|ssh|api)[_-]?keys|keys|\.?vault|tokens?|\.(?:gnupg|aws|azure|kube|password-store|docker|terraform\.d|mozilla|acme\.sh|step|sops))$/

/** Words that make a file's name secret, wherever in the name they occur. */
const secretWords =
  /shadow|sudoers|htpasswd|smbpasswd|sasl_?passwd|passwd\.client|passw(?:or)?ds?(?:\.|_|-|$)|(?:^|[._-])pass(?:\.|_|-|$)|opasswd|master\.passwd|secret|password|credential|passphrase|private.?key|priv_?key|api.?key|auth.?key|access.?key|wpa_?psk|key.?file|keystore|keytab|keyring|kubeconfig|krb5cc|_sk$|tokens?(?:[._-]|$)|creds?(?:[._-]|$)|(?:recovery|backup|scratch)[._-]?(?:codes?|keys?|phrases?|kit)(?:\.|$)|(?:seed|mnemonic)[._-]?(?:phrases?|words?)|mnemonic|emergency[._-]?kit|(?:2fa|totp|otp)(?:[._-]|$)|htdigest|google_authenticator|^ssh_host_.*_key$|^id_(?:rsa|dsa|ecdsa|ed25519|xmss)|vault.?token/
/** Extensions of keys, password stores and state files of tools. */
const secretEndings = setOf(
  'key keys jwk jwt psafe3 opvault agilekeychain wallet p8 p12 pfx pkcs12 jks keystore kdb kdbx ppk keytab keyring psk pw pwd age gpg pgp asc token tokens tfstate tfvars',
  'ovpn pass cred creds priv secret secrets env enc vault',
)
/** Names of files that contain a secret among other data. */
const secretNames = setOf(
  'identity environ environment env token auth.json auth.conf authinfo user.cfg domains.cfg remote.cfg tfa.cfg tfa.json',
  'ipams.cfg debian.cnf my.cnf psk.txt subscription upsd.users upsmon.conf snmpd.conf snmptrapd.conf ddclient.conf',
  'inadyn.conf msmtprc ssmtp.conf fetchmailrc nslcd.conf sssd.conf slapd.conf pam_ldap.conf libnss-ldap.conf hostapd.conf',
  'iscsid.conf saveconfig.json rclone.conf turnserver.conf redis.conf telegraf.conf zabbix_server.conf zabbix_proxy.conf',
  'grafana.ini gitlab.rb app.ini rndc.conf wp-config.php config.php config.inc.php configuration.php localsettings.php',
  'settings.php settings.py local_settings.py database.yml database.yaml parameters.yml parameters.yaml msdm',
  'status.cfg dns.cfg metricserver.cfg acme.json pwfile setupvars.conf pihole.toml preferences.xml anaconda-ks.cfg',
  'passdb.tdb clients.conf remotes esmtprc mailrc mail.rc netrc _netrc npmrc pypirc pip.conf settings.xml gradle.properties',
  'nuget.config pg_service.conf postgresql.auto.conf local.ini kibana.yml internal_users.yml server.conf mailcow.conf',
  'postfix-accounts.cf worker-controller.inc smbldap_bind.conf pin.txt printers.conf targets.conf scst.conf hostkey',
  'alertmanager.yml alertmanager.yaml health_alarm_notify.conf stream.conf resource.cfg api-users.conf ido-mysql.conf',
  'server.yml apprise.yml apprise.conf repository.config rustic.toml autorestic.yml amandapass authkeys keepalived.conf',
  'frr.conf bgpd.conf zebra.conf cli_pw adguardhome.yaml pdns.conf recursor.conf knot.conf duck.sh config.xml config.ini',
  'serverconfig.json sabnzbd.ini nzbget.conf qbittorrent.conf paperless.conf keycloak.conf users_database.yml users.yml',
  'lldap_config.toml glauth.cfg garage.toml s3.json s3.cfg security.toml harbor.yml talosconfig remotes.cfg',
  'guacamole.properties user-mapping.xml mumble-server.ini murmur.ini voicemail.conf manager.conf vars.xml dendrite.yaml',
  'conduit.toml registration.yaml prosody.cfg.lua ejabberd.yml answer.toml ks.cfg unattend.xml autounattend.xml',
  'freeipmi.conf ipmi.conf users.xml system.properties wallet.dat seed.txt',
  'homeserver.yaml pam_mount.conf.xml wgetrc sip.conf pjsip.conf dovecot-sql.conf.ext creds.txt',
)
const secretForms =
  /^(?:tokens?\.(?:cfg|json|txt)|wpa_supplicant.*\.conf|application(?:-\w+)?\.(?:properties|ya?ml)|appsettings(?:\.\w+)?\.json|config\.db(?:-\w+)?|privkey\d*\.pem|csrf\.\w+|[\w-]*-priv\.cfg|[\w-]*encryption-keys?\.json|wg[\w-]*\.(?:conf|json)|keys?\.(?:txt|json|ya?ml)|(?:auth|login|userpass|up|accounts?)\.txt|(?:cloudflare|certbot|duckdns|digitalocean|route53|hetzner|ovh|gandi|linode|rfc2136|namecheap|godaddy|porkbun|desec|dynv6)[\w-]*\.(?:ini|conf|json|ya?ml|sh)|(?:bacula|bareos)-\w+\.conf|(?:file|metric|packet|audit|heart)beat\.yml|service-?account[\w-]*\.json|(?=[\w-]*(?:telegram|pushover|discord|slack))[\w-]+\.(?:conf|ini|json|ya?ml|sh|txt)|(?:[\w-]+\.)*pkrvars\.hcl|keys-[\w-]+|[\w.-]*eap_users?|vault\.ya?ml)$/
const history = /(?:^|[._])history$|^\.?(?:viminfo|lesshst|wget-hsts)$/
const publicName = /\.pub$/
const pem = /\.(?:pem|der|crt\.key)$/
const publicPem =
  /(?:^|\/)(?:pve-ssl|pveproxy-ssl|pve-root-ca|proxy|cert\d*|chain\d*|fullchain\d*|ca|ca-cert|cacert|ca-certificates)\.(?:pem|crt)$|\/(?:etc\/ssl\/certs|usr\/share\/ca-certificates)\//

/** Hidden files without secrets; others hold settings, tokens and histories. */
const plainHidden =
  /^(?:\/etc\/pve\/\.(?:version|members|vmlist|rrd|clusterlog)|\/.*\/\.ssh\/(?:known_hosts|[^/]*\.pub)|\/root\/\.(?:vimrc|inputrc|tmux\.conf|toprc|selected_editor))$/

/** Disks, memory images, databases and other people's data. They may be listed but not read. */
const bulk = new RegExp(
  [
    String.raw`/(?:core|core\.\d+|swapfile|swap\.img|vmcore|initctl)$`,
    String.raw`\.(?:qcow2|raw|tar|tgz|pxar|cpio|vmdk|vdi|vma|vhdx?|dump|sql|dmp|img|sqlite3?|db3?|mdb|ibd|myd|rdb|aof|tdb|ldb)(?:-(?:wal|shm|journal))?(?:\.\w+)?$`,
    String.raw`\.(?:sock|socket|fifo|pipe)$`,
    String.raw`/snippets/|/cloud-init/|^/etc/cloud/|/var/log/cloud-init|/etc/iscsi/(?:nodes|send_targets)/|/user-data(?:\.\w+)?$|/preseed\.cfg$|/var/log/installer/`,
    String.raw`/zigbee2mqtt/configuration\.ya?ml$|/transmission[\w-]*/settings\.json$|/overseerr/settings\.json$|/node-red/|/dovecot/users$|^/etc/default/(?:minio|ddclient)$|^/net/`,
    '/var/(?:crash|backups|mail|spool|lib/(?:cloud|docker|containerd|containers|systemd/(?:coredump|random-seed)|mysql|postgresql|mongodb|redis|influxdb|grafana|ceph|private|vz/(?:images|dump|private|snippets)))(?:/|$)',
    String.raw`/(?:images|private)/\d+/|^/etc/(?:ssl/private|pki/.*/private)/`,
  ].join('|'),
)

/** Files in `/proc/PID/` that are refused: all except files that describe the process without its content. */
const processFile =
  /^\/proc\/(?:\d+|self|thread-self)(?:$|\/(?!(?:status|statm?|limits|cgroup|mounts|mountinfo|mountstats|io|comm|cmdline|sched|schedstat|oom_score(?:_adj)?|wchan|smaps_rollup|net\/[a-z0-9_]+)$))/
/** Devices, views into memory, and files that have an effect when they are read. */
const systemFile = new RegExp(
  `^/(?:${[
    'dev',
    'sys/(?:kernel/(?:debug|tracing|security|config)|firmware/(?:acpi/tables|dmi|efi/(?:efi)?vars|qemu_fw_cfg)|fs/(?:bpf|pstore|selinux))',
    'proc/(?:kcore|kmsg|kpage\\w*|kallsyms|keys|key-users|vmcore|vmallocinfo|iomem|sysrq-trigger|acpi/event|kpagecgroup|latency_stats)',
    'proc/sys/net/ipv4/tcp_fastopen_key',
    'proc/sys/net/ipv6/conf/[^/]+/stable_secret',
  ].join('|')})(?:/|$)`,
)
/** Registers and memory of devices; some machines hang when they are read. */
const deviceMemory = /^\/sys\/.*\/(?:config|rom|vpd|resource\d+(?:_wc)?|eeprom|nvmem|raw_\w+|dump|data|mem)$/

/** Folders that a guest can write to. An absolute link in them would be followed on the node. */
const guestRoot = /\/rootfs\/|\/subvol-\d+-disk-\d+\/|\/basevol-\d+-disk-\d+\/|^\/var\/lib\/lxc\/\d+\/root/

const clip = (path: string) => path.slice(0, 80)

/** Parses a path. @returns undefined for a path with `..`, because a link may make it lead elsewhere */
function parsePath(path: string): Path | undefined {
  const folders: string[] = []
  for (const part of (path.startsWith('/') ? path : `/root/${path}`).toLowerCase().split('/')) {
    if (part === '..') return undefined
    if (part !== '' && part !== '.') folders.push(part)
  }
  const full = `/${folders.join('/')}`
  const name = folders.pop() ?? ''
  const before = name.replace(
    /(?:(?:[._-](?:bak|old|orig|save|saved|swp|tmp|copy|backup|new|dist|dpkg-\w+|ucf-\w+|\d{1,14})|\.(?:gz|xz|bz2|zst|1)|[~-])){1,4}$/,
    '',
  )
  return { shown: clip(path), full, name, names: before === name ? [name] : [name, before], folders }
}

const isSecretName = (name: string) =>
  secretNames.has(name) ||
  (name.includes('.') && secretEndings.has(name.slice(name.lastIndexOf('.') + 1))) ||
  secretWords.test(name) ||
  secretForms.test(name) ||
  history.test(name)

/** Tests if a path is `etc/passwd` or its copy `passwd-`. All other account files are secret. */
const isAccounts = ({ full }: Path) => /(?:^|\/)etc\/passwd-?$/.test(full)

function isSecret(path: Path): boolean {
  const { full, name, names, folders } = path
  if (publicName.test(name)) return false
  if (secretFolders.test(full) || [...folders, name].some((part) => secretFolder.test(part))) return true
  if (isAccounts(path)) return name !== 'passwd'
  return names.some(isSecretName) || (names.some((each) => pem.test(each)) && !publicPem.test(full))
}

const looksLikeOption = (path: string) => `${clip(path)} could be read as an option.`
const goesUp = (path: string) => `${clip(path)} goes up with .., which may lead elsewhere through a link.`

/** Returns why not even a file's name and size are shown; undefined: they may be shown. Checks only the path and follows no links. */
export function nameReason(path: string): string | undefined {
  if (path.startsWith('-')) return looksLikeOption(path)
  const parsed = parsePath(path)
  if (parsed === undefined) return goesUp(path)
  return isSecret(parsed) ? `${parsed.shown} may hold secrets.` : undefined
}

/** Returns why a file's content is not shown; undefined: it may be shown. */
export function contentReason(path: string): string | undefined {
  if (path.startsWith('-')) return looksLikeOption(path)
  const parsed = parsePath(path)
  if (parsed === undefined) return goesUp(path)
  const { shown, full } = parsed
  // No shell expands a quoted pattern, but a tool that expands it could match any file.
  if (/[*?]/.test(full)) return `${shown} is a pattern, and none is expanded here: name the files.`
  if (systemFile.test(full) || deviceMemory.test(full)) {
    return `${shown} is a device or a view into memory, not a file to read.`
  }
  if (processFile.test(full)) return `${shown} shows what a process holds.`
  if (isSecret(parsed)) return `${shown} may hold secrets.`
  if (guestRoot.test(full)) return `${shown} is a guest's: a link in it may lead to the node's own files.`
  if (full.includes('/.') && !plainHidden.test(full)) return `${shown} is hidden, and hidden files often hold secrets.`
  return bulk.test(full) ? `${shown} is a disk, a dump or private data: it may be listed, not read.` : undefined
}

/** Folders without secrets, which may be searched recursively. */
const sweepable = new RegExp(
  `^/(?:${[
    'var/log',
    'etc/(?:systemd|network|apt/(?:sources\\.list|preferences)\\.d|modprobe\\.d|modules-load\\.d|logrotate\\.d|sysctl\\.d|udev)',
    'etc/(?:cron\\.(?:d|hourly|daily|weekly|monthly)|nginx/(?:sites-(?:enabled|available)|conf\\.d)|security/limits\\.d)',
    'etc/(?:default/grub\\.d|kernel|initramfs-tools|lvm|smartmontools|chrony)',
    'etc/pve/(?:(?:nodes/[\\w-]+/)?(?:qemu-server|lxc)|ha|firewall)',
    '(?:usr/)?lib/(?:systemd|modules-load\\.d|modprobe\\.d|sysctl\\.d|udev)',
    'usr/share/(?:doc|perl5|pve-\\w+|zoneinfo)',
    'boot/grub',
    'sys/devices/system/cpu',
    'sys/class/(?:hwmon|thermal|net|power_supply)',
  ].join('|')})(?:/|$)`,
)

/** Returns why a recursive read of `path` is refused; undefined: everything below may be read. */
export function sweepReason(path: string): string | undefined {
  const parsed = parsePath(path)
  if (parsed !== undefined && !sweepable.test(parsed.full))
    return `${parsed.shown} may have secrets below it; name files or a folder such as /var/log.`
  return contentReason(path)
}

function setOf(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}
