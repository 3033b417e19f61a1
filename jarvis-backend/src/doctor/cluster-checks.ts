import type { DoctorCheck } from 'protocol'
import { type ProxmoxConfig, tokenParts } from '../config/proxmox.ts'
import { quote } from '../gate/index.ts'
import { adviceOn, type Inspection } from '../homelab/connect.ts'
import { baseRights, grantLine, openChoices, roleLine, type ToolRights, toolRights } from '../tools/rights.ts'
import { bad, ok, warn } from './check.ts'

const slowClockMs = 5_000
const wrongClockMs = 120_000

/** Checks addresses, token, rights, nodes and clocks by one inspection of the cluster. */
export function clusterChecks(config: ProxmoxConfig, seen: Inspection): DoctorCheck[] {
  return [
    ...entryChecks(config, seen),
    ...rightChecks(config, seen),
    ...triedChecks(seen),
    ...nodeChecks(seen),
    ...clockChecks(seen),
  ]
}

function entryChecks({ fingerprints, ca, tokenId }: ProxmoxConfig, { entries }: Inspection): DoctorCheck[] {
  const trust = fingerprints.length > 0 ? 'its fingerprint is known' : ca ? 'signed by PVE_CA_FILE' : 'publicly signed'
  const serves = entries.some(({ problem }) => problem === undefined)
  return entries.map(({ url, version, problem }) => {
    if (problem === undefined) return ok('Cluster', `${url} serves: Proxmox VE ${version}, ${trust}, token accepted.`)
    const text = `${url}: ${problem}.`
    if (problem.includes('refuses the API token')) {
      return bad(
        'Token',
        text,
        `If user and token are enabled and have not expired, make a new token on a node: ${tokenLine(tokenId)}, then ${again}`,
      )
    }
    if (/certificate/.test(problem)) {
      // Even if another address works, a wrong certificate is serious. The text of the problem says what to do.
      const [seen = '', ...advice] = text.split(/(?<=\.) /)
      return bad('Cluster', seen, `${advice.join(' ')} Or: npm run jarvis -- setup`)
    }
    return serves ? warn('Cluster', text, adviceOn(problem)) : bad('Cluster', text, adviceOn(problem))
  })
}

const again = 'give its secret in Settings, Proxmox, or to: npm run jarvis -- setup'
const tokenLine = (tokenId: string) => {
  const { user, name } = tokenParts(tokenId)
  const token = quote([user, name])
  return `pveum user token remove ${token}; pveum user token add ${token} --privsep 0`
}

function rightChecks({ tokenId }: ProxmoxConfig, { entries, rights }: Inspection): DoctorCheck[] {
  const tools = toolRights(rights)
  if (tools === undefined) {
    if (entries.every(({ problem }) => problem !== undefined)) return []
    return [warn('Rights', 'The cluster does not say what the token may do.', 'Look under Datacenter, Permissions.')]
  }
  const short = tools.filter(({ granted }) => granted !== 'all')
  const chosen = openChoices(tools).map(({ choice, toolNames, line }) =>
    ok(
      'Rights',
      `Not chosen: ${choice.name}, which lets JARVIS ${choice.gives} (${toolNames.join(', ')}). To add it, on a node: ${line}`,
    ),
  )
  const isBare = ({ granted, missing }: ToolRights) =>
    granted === 'none' || missing.every(({ shows }) => shows !== undefined)
  if (short.length === tools.length && short.every(isBare)) {
    const line = grantLine(quote([tokenParts(tokenId).user]))
    return [bad('Rights', 'The token may do nothing that JARVIS’s tools need.', `On a node: ${line}`)]
  }
  const checks = tools.flatMap(({ toolName, granted, missing, choice }) => {
    if (choice !== undefined) return []
    const needs = missing.map(({ right, base }) => `${right} on ${base}`).join(', ')
    if (granted === 'all') return ok('Rights', `${toolName}: has what it needs.`)
    const fix = `On a node: ${roleLine(missing.map(({ right }) => right))}`
    const shows = missing.map((need) => need.shows)
    if (!shows.includes(undefined))
      return warn('Rights', `${toolName}: shows ${shows.join(' and ')} only as far as this token sees (${needs}).`, fix)
    return granted === 'some'
      ? warn('Rights', `${toolName}: on a part of the cluster only (${needs}).`, fix)
      : bad('Rights', `${toolName}: does not work without ${needs}.`, fix)
  })
  return [...checks, ...chosen]
}

/** Reports each kind of read that was tried, one line each. An incomplete list is a warning only if the base rights would show it in full. */
const triedChecks = ({ tried }: Inspection): DoctorCheck[] =>
  tried.map(({ what, answer, right }) => {
    const fix = `On a node: ${roleLine([right])}`
    if ('problem' in answer) return warn('Reads', `${what}: ${answer.problem}.`, fix)
    const count = answer.count === undefined ? 'answered' : `${answer.count} seen`
    if (answer.hidden === undefined) return ok('Reads', `${what}: ${count}.`)
    const text = `${what}: ${count}, and ${answer.hidden}.`
    return baseRights.includes(right) ? warn('Reads', text, fix) : ok('Reads', text)
  })

const nodeChecks = ({ nodes }: Inspection): DoctorCheck[] =>
  nodes.map(({ name, isOnline }) =>
    isOnline
      ? ok('Nodes', `${name} is online.`)
      : warn(
          'Nodes',
          isOnline === null
            ? `Whether ${name} is online is not known: the cluster does not say.`
            : `${name} is offline.`,
          isOnline === null
            ? 'The token needs Sys.Audit on / to see it; else look at the cluster network, with pvecm status on a node.'
            : 'If it should be on: wake it, or look at its console and its cluster network.',
        ),
  )

function clockChecks({ entries }: Inspection): DoctorCheck[] {
  return entries.flatMap(({ url, skewMs }) => {
    if (skewMs === undefined) return []
    const seconds = Math.round(Math.abs(skewMs) / 1000)
    if (Math.abs(skewMs) <= slowClockMs) return [ok('Clock', `${url} and this machine agree.`)]
    const text = `${url} is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine.`
    const fix = 'Turn time keeping on: timedatectl set-ntp true here, systemctl restart chrony on the node.'
    return [Math.abs(skewMs) > wrongClockMs ? bad('Clock', text, fix) : warn('Clock', text, fix)]
  })
}
