/** Folders whose whole content is secret, wherever they are mounted: a guest's root lies inside its node's. */
const secretFolders = new RegExp(
  `/(?:${[
    'priv',
    'var/lib/pve-cluster',
    String.raw`\.(?:gnupg|aws|azure|kube|password-store|vault|secrets?|docker|terraform\.d|mozilla|config/(?:gcloud|rclone|gh|op|sops))`,
    'etc/(?:ssl/private|wireguard|openvpn|kubernetes|rancher|networkmanager/system-connections|wpa_supplicant|sudoers\\.d)',
    'etc/letsencrypt/(?:archive|live|keys|accounts)',
    'run/(?:secrets|credentials)',
    'var/lib/(?:kubelet|vault|rancher|tailscale|samba/private|systemd/credential)',
  ].join('|')})(?:/|$)`,
)

/** File names that mean a secret. */
const secretNames = [
  /shadow|opasswd|passwd-$|sudoers|htpasswd|smbpasswd|sasl_?passwd|passwd\.client|master\.passwd/,
  /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)|_sk$|^ssh_host_.*_key$|^identity$/,
  /\.(?:key|p12|pfx|jks|keystore|kdbx?|ppk|keytab|keyring|pw|age|gpg|pgp|asc|token|tfstate|tfvars|ovpn|pass|cred|creds)$/,
  /(?:private|priv|priv_key|privkey|authkey|secret|secrets|csrf)\.(?:key|pem|json|ya?ml|txt|conf|ini|db)$/,
  /secret|password|credential|passphrase|private.?key|api.?key|auth.?key|privkey/,
  /^\.?env$|^\.env\.|\.env(?:\..*)?$|^environ$/,
  /history$|^\.(?:netrc|pgpass|my\.cnf|git-credentials|npmrc|pypirc|htpasswd|viminfo|lesshst|vault-token|boto|s3cfg|mylogin\.cnf)$/,
  /^(?:token|keyring|kubeconfig|debian\.cnf|wp-config\.php|config\.db(?:-\w+)?|user\.cfg|token\.cfg|tfa\.cfg|shadow\.cfg)$/,
]
/** What holds whole disks, memories or other people's data: it may be listed, not read. */
const bulk =
  /\/(?:core|swapfile|vmcore)$|\.(?:qcow2|raw|vmdk|vma|vhdx?|dump|sql|dmp)(?:\.\w+)?$|\/var\/(?:crash|backups|spool\/cron|lib\/(?:cloud|docker|containerd|systemd\/coredump|vz\/(?:images|dump|private)))\//
const publicNames = /\.pub$/
const pem = /\.(?:pem|crt\.key)$/
const publicPem =
  /(?:^|\/)(?:pve-ssl|pveproxy-ssl|pve-root-ca|cert|chain|fullchain|ca|ca-cert|cacert)\.pem$|\/etc\/ssl\/certs\//
const sshFolder = /\/\.ssh\/(?!(?:known_hosts|authorized_keys|config|[^/]*\.pub)$)/

/** `/proc/PID/…`: the few that tell about a process and nothing of what it holds or where it stands. */
const processFile =
  /^\/proc\/(?:\d+|self|thread-self)\/(?!(?:status|statm?|limits|cgroup|mounts|mountinfo|mountstats|io|comm|cmdline|sched|schedstat|oom_score(?:_adj)?|wchan|smaps_rollup|net\/[a-z0-9_]+)$)/
const systemFile =
  /^\/(?:dev|sys\/kernel\/(?:debug|tracing|security)|sys\/firmware\/efi\/efivars|proc\/(?:kcore|kmsg|kpage\w*|kallsyms|keys|key-users|vmcore|sysrq-trigger|acpi\/event))(?:\/|$)/

/** `//` and `.` taken out; names compare without regard to case, as some file systems do. Relative means root's home. */
function normalise(path: string): string {
  const parts = (path.startsWith('/') ? path : `/root/${path}`).split('/')
  return `/${parts.filter((part) => part !== '' && part !== '.').join('/')}`.toLowerCase()
}

/** Why not even names and sizes are shown; undefined where they may be. Lexical: what a link leads to is not known here. */
export function nameReason(path: string): string | undefined {
  if (path.startsWith('-')) return `${path.slice(0, 80)} could be read as an option.`
  const full = normalise(path)
  const name = full.slice(full.lastIndexOf('/') + 1)
  if (`${full}/`.includes('/../'))
    return `${path.slice(0, 80)} goes up with .., which may lead elsewhere through a link.`
  if (publicNames.test(name)) return undefined
  const isSecret =
    secretFolders.test(full) ||
    sshFolder.test(full) ||
    secretNames.some((secret) => secret.test(name)) ||
    (pem.test(full) && !publicPem.test(full))
  return isSecret ? `${path.slice(0, 80)} may hold secrets.` : undefined
}

/** Why a file's content is not shown; undefined where it may be. */
export function contentReason(path: string): string | undefined {
  const full = normalise(path)
  if (systemFile.test(full)) return `${path.slice(0, 80)} is a device or a view into memory, not a file to read.`
  if (processFile.test(full)) return `${path.slice(0, 80)} shows what a process holds.`
  if (bulk.test(full)) return `${path.slice(0, 80)} is a disk, a dump or private data: it may be listed, not read.`
  return nameReason(path)
}

/** Folders with no secret below, so that a search may sweep over all of them. */
const sweepable = new RegExp(
  `^/(?:${[
    'var/log',
    'etc/(?:systemd|network|apt/sources\\.list\\.d|modprobe\\.d|modules-load\\.d|logrotate\\.d|sysctl\\.d|udev)',
    'etc/pve/(?:(?:nodes/[\\w-]+/)?(?:qemu-server|lxc)|ha|firewall|sdn)',
    '(?:usr/)?lib/systemd',
    'usr/share/(?:doc|perl5|pve-\\w+)',
    'sys/class',
  ].join('|')})(?:/|$)`,
)

/** Why a recursive read of `path` is refused; undefined where all below it may be read. */
export function sweepReason(path: string): string | undefined {
  if (!sweepable.test(normalise(path)))
    return `${path.slice(0, 80)} may have secrets below it; name files or a folder such as /var/log.`
  return contentReason(path)
}
