import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const jellyfin = `# Jellyfin, container 104 on pve. The graphics card is handed through by the host.
services:
  jellyfin:
    image: jellyfin/jellyfin:10.10.3
    container_name: jellyfin
    user: "1000:1000"
    ports:
      - "8096:8096"
    volumes:
      - ./jellyfin:/config
      - /mnt/tank/media:/media:ro
    devices:
      - /dev/dri/renderD128:/dev/dri/renderD128
    restart: unless-stopped
`
const uptimeKuma = `# Uptime Kuma, container 140. It asks every service once a minute.
services:
  uptime-kuma:
    image: louislam/uptime-kuma:1.23.15
    ports:
      - "3001:3001"
    volumes:
      - ./uptime-kuma:/app/data
    restart: unless-stopped
`
const caddyfile = `# Every service has a name below home.lan. The certificates are Caddy's own.
{
	local_certs
}

jellyfin.home.lan {
	reverse_proxy 10.0.3.104:8096
}

photos.home.lan {
	reverse_proxy 10.0.3.105:2283
}

status.home.lan {
	reverse_proxy 10.0.3.140:3001
}
`
const jellyfinLog = `[2026-11-23 21:58:02.114 +01:00] [INF] [12] Jellyfin.Server: Kestrel is listening on 0.0.0.0:8096
[2026-11-23 22:14:40.006 +01:00] [INF] [31] Session started: "living room"
[2026-11-23 22:14:41.310 +01:00] [INF] [31] Playing "The Third Man", HEVC 4K, transcoding by VAAPI on renderD128
[2026-11-23 22:31:17.552 +01:00] [ERR] [31] ffmpeg: Failed to initialise VAAPI connection: -1 (unknown libva error)
[2026-11-23 22:31:17.560 +01:00] [WRN] [31] Hardware transcoding is not there: ERROR -5, falling back to the CPU
[2026-11-23 22:31:19.874 +01:00] [INF] [31] Playing "The Third Man", HEVC 4K, transcoding by libx265 at 0.7x
[2026-11-23 22:33:02.201 +01:00] [ERR] [31] Playback is slower than the film: ERROR 0.7x, the client buffers
[2026-11-24 00:09:55.480 +01:00] [INF] [31] Session ended: "living room"
[2026-11-24 03:00:00.018 +01:00] [INF] [8] Scheduled task "Scan media library" completed after 2 minutes
`
const backupLog = `2026-11-23 01:30:01 INFO: starting backup of 101 102 104 105 to pbs-main
2026-11-23 01:30:03 ERROR: backup of 101 failed: pbs-main: connect to 10.0.3.141:8007: no route to host
2026-11-23 01:30:09 ERROR: backup of 102 failed: pbs-main: connect to 10.0.3.141:8007: no route to host
2026-11-23 01:30:15 INFO: job ended with errors
`
const files = {
  'compose/jellyfin.yml': jellyfin,
  'compose/uptime-kuma.yml': uptimeKuma,
  'compose/caddy/Caddyfile': caddyfile,
  'logs/jellyfin.log': jellyfinLog,
  'logs/backup.log': backupLog,
}

/** Leaves existing files as they are. The files lie beside the data dir, because no root may lie in it. */
export function makeDemoWorkbench(dataDir) {
  const policy = join(dataDir, 'policy.yaml')
  // A data dir of somebody's own: nothing is turned on there.
  if (existsSync(policy) || (existsSync(join(dataDir, 'jarvis.db')) && !isDemoOf(dataDir))) return undefined
  const home = `${dataDir}-files`
  const works = sandboxWorks()
  try {
    mkdirSync(home, { recursive: true })
    for (const root of ['compose', 'logs']) if (!existsSync(join(home, root))) makeRoot(home, root, works)
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(policy, policyOf(home, works && existsSync(join(home, 'compose/.git'))), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    return `The demo has no files to work with: ${error instanceof Error ? error.message : String(error)}`
  }
  return undefined
}

/** Tests if the folder is the one that `npm run demo` made. */
const isDemoOf = (dataDir) => dataDir.endsWith('.jarvis-demo')

/** In a folder of another name first, so that a start that was killed leaves no half of it. */
function makeRoot(home, root, works) {
  const unfinished = join(home, `.${root}-unfinished`)
  rmSync(unfinished, { recursive: true, force: true })
  for (const [path, text] of Object.entries(files)) {
    if (!path.startsWith(`${root}/`)) continue
    const at = join(unfinished, path.slice(root.length + 1))
    mkdirSync(dirname(at), { recursive: true })
    writeFileSync(at, text)
  }
  if (root === 'compose' && works) makeRepository(unfinished, join(unfinished, 'jellyfin.yml'))
  renameSync(unfinished, join(home, root))
}

/** Two commits. Without Git there is no repository. */
function makeRepository(dir, file) {
  const git = (...args) =>
    spawnSync(
      'git',
      ['-C', dir, '-c', 'user.name=Ann', '-c', 'user.email=ann@home.lan', '-c', 'core.hooksPath=/dev/null', ...args],
      {
        stdio: 'ignore',
        env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      },
    ).status === 0
  const older = jellyfin.replace('10.10.3', '10.9.11')
  writeFileSync(file, older)
  if (!git('init', '--quiet', '--initial-branch=main')) return
  git('add', '.')
  git('commit', '--quiet', '--message', 'Put the compose files under Git')
  writeFileSync(file, jellyfin)
  git('commit', '--quiet', '--all', '--message', 'Update Jellyfin to 10.10.3')
}

/** Tests if bubblewrap may make namespaces here. */
const sandboxWorks = () =>
  spawnSync('/usr/bin/bwrap', ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '/bin/true'], {
    stdio: 'ignore',
  }).status === 0

const policyOf = (home, hasGit) => `# Written once by npm run demo. Settings, Workbench changes it, and so may you.
workbench:
  # Files of the demo, which are nobody's.
  roots:
    - { name: compose, path: ${JSON.stringify(join(home, 'compose'))}, write: true }
    - { name: logs, path: ${JSON.stringify(join(home, 'logs'))} }
  exec: ${sandboxWorks()} # commands need bubblewrap
  git: ${hasGit} # and Git too
`
