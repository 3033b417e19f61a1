import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { bwrapOptions, bwrapPath } from 'sandbox/argv'
import { relayAt, relayBind, relayed } from 'sandbox/relay'
import { seccompFilter } from 'sandbox/seccomp'
import type { MakeScratch } from '../scratch.ts'
import { loadPlaywright } from './parts.ts'
import { registerTies } from './ties.ts'

/** Chromium in a sandbox of its own. `downloads`: its download folder on the host. */
export type Launched = { browser: Browser; downloads: string; end(): Promise<void> }

const args = [
  '--disable-quic',
  // Requests to loopback go through the proxy too, which refuses them.
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-gpu',
  '--disable-sync',
  '--no-first-run',
  '--renderer-process-limit=4',
  '--js-flags=--max-old-space-size=512',
  // Playwright keeps the profile in memory. Other files go to the sandbox's own /tmp.
  '--disk-cache-size=1',
]
const launchMs = 20_000
/** The program's file descriptors 0 to 4. Playwright speaks to Chromium over 3 and 4. */
const files = 5
const filterFile = 9

/**
 * Starts Chromium in a bubblewrap sandbox, with Chromium's own sandbox inside. The sandbox reaches the network only through the sockets in `ways`.
 * Of the host's files it sees only programs and its own download folder.
 * @param ways UNIX sockets of the proxies; a browser context selects one with `relayAt`
 * @param scratch makes the temporary folder on the host
 * @throws Error with the reason if Chromium did not start
 */
export async function launchChromium(
  chromium: { path: string; folder?: string },
  ways: readonly string[],
  scratch: MakeScratch,
): Promise<Launched> {
  const playwright = await loadPlaywright()
  await registerTies(playwright.selectors)
  const filter = seccompFilter({ sockets: 'unix', nests: true })
  if (filter === undefined) throw new Error(`There is no filter of system calls for ${process.arch}.`)
  const { path: folder, remove } = scratch('browser')
  try {
    const downloads = join(folder, 'downloads')
    mkdirSync(downloads)
    writeFileSync(join(folder, 'filter.bpf'), filter)
    const sockets = ways.map((from, lane) => ({ from, to: `/run/egress-${lane}.sock` }))
    const cell = {
      binds: [
        relayBind,
        ...sockets,
        ...(chromium.folder === undefined ? [] : [{ from: chromium.folder, to: chromium.folder }]),
        // The folder has the same path inside and outside, because Playwright tells Chromium the host's path.
        { from: downloads, to: downloads, isWritable: true as const },
      ],
      cwd: '/tmp',
      env: { HOME: '/tmp' },
      nests: true as const,
      tmpBytes: 512 * 1024 ** 2,
    }
    const argv = [
      ...bwrapOptions(cell, { seccomp: filterFile }),
      '--',
      ...relayed(
        [chromium.path],
        files,
        sockets.map(({ to }) => to),
      ),
    ]
    const starter = join(folder, 'start')
    // The uid inside is not 0, because Chromium refuses to start its own sandbox as root.
    const command = [bwrapPath, '--uid', '1000', '--gid', '1000', ...argv].map(shellWord).join(' ')
    const text = `#!/bin/sh\nexec ${filterFile}<${shellWord(join(folder, 'filter.bpf'))}\nexec ${command} "$@"\n`
    writeFileSync(starter, text, { mode: 0o700 })
    const browser = await playwright.chromium.launch({
      executablePath: starter,
      chromiumSandbox: true,
      env: {},
      args,
      downloadsPath: downloads,
      // The proxy for requests outside a context. All contexts have their own proxy, so nothing listens on this one.
      proxy: { server: relayAt(ways.length), bypass: '<-loopback>' },
      timeout: launchMs,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    return {
      browser,
      downloads,
      async end() {
        await browser.close().catch(() => undefined)
        remove()
      },
    }
  } catch (cause) {
    remove()
    const [said = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
    throw new Error(`Chromium did not start in its sandbox: ${said}`, { cause })
  }
}

const shellWord = (word: string) => `'${word.replaceAll("'", "'\\''")}'`
