import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { relayAt, relayBind, relayed } from '../egress/relay.ts'
import { bwrapOptions, bwrapPath } from '../sandbox/argv.ts'
import { seccompFilter } from '../sandbox/seccomp.ts'
import type { MakeScratch } from '../scratch.ts'
import { loadPlaywright } from './parts.ts'
import { registerTies } from './ties.ts'

/** A Chromium in a sandbox of its own. `downloads`: its folder for downloads, on this machine. */
export type Launched = { browser: Browser; downloads: string; end(): Promise<void> }

const args = [
  '--disable-quic',
  // Loopback goes through the proxy too, which refuses it.
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-gpu',
  '--disable-sync',
  '--no-first-run',
  '--renderer-process-limit=4',
  '--js-flags=--max-old-space-size=512',
  // Playwright keeps the profile of a page in memory; the rest is in the sandbox's own /tmp.
  '--disk-cache-size=1',
]
const launchMs = 20_000
/** The program's files 0 to 4: Playwright speaks to Chromium over 3 and 4. */
const files = 5
const filterFile = 9

/**
 * Starts Chromium in bubblewrap. Nothing leads out of the sandbox but `ways`, and of this machine's files it sees its programs and its own
 * folder for downloads. Chromium's own sandbox is nested in it. @param ways the sockets of its proxies; a context of the browser takes one by
 * `relayAt` @param scratch makes its folder on this machine @throws Error saying why it did not start
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
        // At the same path inside, as Chromium is told where to write by Playwright.
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
    // A user other than 0 inside: Chromium refuses its own sandbox to root.
    const command = [bwrapPath, '--uid', '1000', '--gid', '1000', ...argv].map(shellWord).join(' ')
    const text = `#!/bin/sh\nexec ${filterFile}<${shellWord(join(folder, 'filter.bpf'))}\nexec ${command} "$@"\n`
    writeFileSync(starter, text, { mode: 0o700 })
    const browser = await playwright.chromium.launch({
      executablePath: starter,
      chromiumSandbox: true,
      env: {},
      args,
      downloadsPath: downloads,
      // The proxy of requests outside a context. All contexts have their own proxy, so nothing listens at this one.
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
