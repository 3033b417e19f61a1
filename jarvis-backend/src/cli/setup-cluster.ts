import { readFileSync } from 'node:fs'
import { JarvisError } from 'protocol'
import { pathOf } from '../config/path-of.ts'
import { type ProxmoxConfig, readCluster } from '../config/proxmox.ts'
import { type Inspection, inspectCluster, type Probe, probeEntry } from '../homelab/connect.ts'
import { openChoices, pveumLine, roleLine, type ToolRights, toolRights } from '../tools/rights.ts'
import type { Questions } from './questions.ts'

type Env = Record<string, string | undefined>
/** Values from options. `isAsking`: the setup asks for missing values. */
export type Given = {
  urls: string[]
  fingerprints: string[]
  tokenId: string | undefined
  secretFile: string | undefined
  isAsking: boolean
  /** Ask nobody, and accept a token that lacks some rights. */
  acceptsMissing: boolean
}

const mostTries = 5

/**
 * Asks for the cluster's addresses and token, and tries them. When it returns, the addresses answered, a person trusted the certificates, and the
 * token was accepted.
 */
export async function askCluster(
  questions: Questions,
  given: Given,
  env: Env,
): Promise<{ cluster: ProxmoxConfig; seen: Inspection }> {
  const { urls, fingerprints } = await askEntries(questions, given, env)
  questions.say(`\nMake the role, the user and the token: run this once in the shell of any node.\n\n  ${pveumLine}\n`)
  for (let tries = 1; ; tries += 1) {
    const token = await askToken(questions, given, env)
    const cluster = { urls, fingerprints, ca: undefined, ...token }
    const problem = problemOf(() => readCluster({ PVE_TOKEN_ID: token.tokenId, PVE_TOKEN_SECRET: token.tokenSecret }))
    if (problem === undefined) {
      questions.say('Trying it …')
      const seen = await inspectCluster(cluster, { now: Date.now, signal: questions.signal })
      showInspection(questions, seen)
      if (seen.entries.some((entry) => entry.problem === undefined)) {
        const lacking = lackingOf(seen)
        if (lacking === undefined) return { cluster, seen }
        if (given.isAsking ? await questions.confirm('Go on with these rights?', true) : given.acceptsMissing)
          return { cluster, seen }
        if (!given.isAsking) {
          throw new JarvisError(
            'cluster_refused',
            `${lacking} Nothing was changed. Add them, or pass --accept-missing to do without.`,
          )
        }
      } else if (!given.isAsking || tries === mostTries) {
        throw new JarvisError('cluster_unreachable', 'The token was not accepted: nothing was changed.')
      }
    } else {
      if (!given.isAsking || tries === mostTries) throw new JarvisError('invalid_request', problem)
      questions.say(problem)
    }
  }
}

async function askEntries(questions: Questions, given: Given, env: Env) {
  for (let tries = 1; ; tries += 1) {
    const isFixed = given.urls.length > 0
    const text = isFixed
      ? given.urls.join(',')
      : await questions.ask('Address of Proxmox; several with commas', env.PVE_URL)
    const urls = originsOf(text)
    if (typeof urls === 'string') {
      if (isFixed || tries === mostTries) throw new JarvisError('invalid_request', urls)
      questions.say(urls)
      continue
    }
    const looks = await Promise.all(urls.map((url) => look(url, questions.signal)))
    questions.signal.throwIfAborted()
    const probes = looks.filter((one) => typeof one !== 'string')
    const problems = looks.filter((one) => typeof one === 'string')
    for (const problem of problems) questions.say(`✗ ${problem}`)
    const goesOn =
      probes.length > 0 &&
      (problems.length === 0 || (given.isAsking && (await questions.confirm('Go on without those?', false))))
    if (goesOn) return { urls: probes.map(({ url }) => url), fingerprints: await accepted(questions, given, probes) }
    if (isFixed || tries === mostTries) {
      throw new JarvisError(
        'cluster_unreachable',
        urls.length === 1 ? 'Nothing was changed.' : 'Not every address answers: nothing was changed.',
      )
    }
  }
}

/**
 * Asks a person to trust each certificate. @returns fingerprints of all certificates; none if the system trusts every one. @throws JarvisError if a
 * certificate is refused
 */
async function accepted(questions: Questions, given: Given, probes: readonly Probe[]): Promise<string[]> {
  const known =
    given.fingerprints.length === 0
      ? []
      : (readCluster({ PVE_FINGERPRINT: given.fingerprints.join(',') }).fingerprints ?? [])
  for (const probe of probes) {
    const what = probe.version === undefined ? 'no Proxmox front page there' : `Proxmox VE ${probe.version}`
    const node = probe.node === undefined ? '' : `, node ${probe.node}`
    questions.say(
      `\n${probe.url}: ${what}${node}; certificate for ${probe.subject || 'nobody'} by ${probe.issuer || 'nobody'}.`,
    )
    questions.say(`  SHA-256 ${probe.fingerprint}`)
  }
  if (known.length === 0 && probes.every(({ isTrusted }) => isTrusted)) {
    questions.say('  Signed by an authority that this machine trusts: no fingerprint needs to be kept.')
    return []
  }
  for (const { url, fingerprint } of probes) {
    if (known.includes(fingerprint)) continue
    if (known.length > 0) {
      throw new JarvisError(
        'conflict',
        `${url} shows another certificate than --fingerprint says: nothing was changed.`,
      )
    }
    // Each certificate is confirmed separately, so that one forged among several is noticed.
    const question = `Does "pvenode cert info" on the node of ${url} show the same fingerprint? Trust it`
    if (given.isAsking && !(await questions.confirm(question, false))) {
      throw new JarvisError('conflict', `${url} is not trusted: nothing was changed.`)
    }
  }
  return [...new Set(probes.map(({ fingerprint }) => fingerprint))]
}

async function askToken(questions: Questions, given: Given, env: Env) {
  const tokenId =
    given.tokenId ?? (given.isAsking ? await questions.ask('Token ID', env.PVE_TOKEN_ID || 'jarvis@pve!jarvis') : '')
  if (given.secretFile !== undefined) {
    return { tokenId, tokenSecret: readFileSync(pathOf(given.secretFile), 'utf8').trim() }
  }
  const present = env.PVE_TOKEN_SECRET
  if (!given.isAsking && present) return { tokenId, tokenSecret: present }
  const hint = present ? ', Enter keeps the present one' : ''
  const typed = await questions.askSecret(`Token secret (not shown${hint})`)
  return { tokenId, tokenSecret: typed === '' ? (present ?? '') : typed }
}

/** The rights that the token lacks, in a sentence; undefined if it lacks none. */
function lackingOf({ rights }: Inspection): string | undefined {
  const tools = toolRights(rights)
  if (tools === undefined) return 'Which rights the token has could not be read.'
  const missing = new Set(inBase(tools).flatMap((tool) => tool.missing.map(({ right, base }) => `${right} on ${base}`)))
  return missing.size === 0 ? undefined : `The token lacks ${[...missing].join(', ')}.`
}

/** The tools without those that only need a wider set of rights (`choice`). */
const inBase = (tools: readonly ToolRights[]) => tools.filter(({ choice }) => choice === undefined)

function showInspection(questions: Questions, { entries, rights }: Inspection) {
  const tools = toolRights(rights)
  for (const { url, version, problem } of entries) {
    questions.say(problem === undefined ? `✓ ${url}: token accepted, Proxmox VE ${version}.` : `✗ ${url}: ${problem}.`)
  }
  if (tools === undefined) {
    questions.say('! Which rights the token has could not be read.')
    return
  }
  const short = inBase(tools).filter(({ granted }) => granted !== 'all')
  for (const { toolName, granted, missing } of short) {
    const needs = missing.map(({ right, base }) => `${right} on ${base}`).join(', ')
    questions.say(`${granted === 'none' ? '✗' : '!'} ${toolName} lacks ${needs}.`)
  }
  for (const { choice, toolNames, line } of openChoices(tools)) {
    questions.say(
      `· Not chosen: ${choice.name}, to ${choice.gives} (${toolNames.join(', ')}).\n  To add it, on a node: ${line}`,
    )
  }
  if (short.length === 0) questions.say(`✓ All ${inBase(tools).length} tools of the base role have their rights.`)
  else
    questions.say(
      `  To add them, on a node: ${roleLine(short.flatMap(({ missing }) => missing.map(({ right }) => right)))}`,
    )
}

/** Normalises a list of addresses; a bare name gets https. @returns a string that names the mistake, if there is one */
function originsOf(text: string): string[] | string {
  const whole = text
    .split(',')
    .map((item) => item.trim())
    .map((item) => (item === '' || item.includes('://') ? item : `https://${item}`))
  try {
    return readCluster({ PVE_URL: whole.join(',') }).urls ?? 'An address is needed, for example https://pve1.lan:8006'
  } catch (error) {
    if (error instanceof JarvisError) return error.message
    throw error
  }
}

async function look(url: string, signal: AbortSignal): Promise<Probe | string> {
  try {
    return await probeEntry(url, signal)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function problemOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof JarvisError) return error.message
    throw error
  }
}
