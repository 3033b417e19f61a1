import type { Shell } from 'homelab-ports/ports'
import { JarvisError, type UnitState } from 'protocol'
import { ofTheApi } from '../operations/restart-service.ts'
import { ServiceState } from '../pve/answers.ts'
import type { Api } from './transport.ts'

const properties = 'Id,Names,Type,LoadState,ActiveState,SubState'
const plain = (name: string) => name.replace(/\.service$/, '')

/**
 * Reads a service's unit through SSH, because only systemd knows aliases and types. If SSH fails, uses the API, which knows only a few services.
 * @throws JarvisError SSH's error
 */
export async function readUnit(
  { api, shell }: { api: Api; shell: Shell },
  { node, service }: { node: string; service: string },
  signal: AbortSignal,
): Promise<UnitState> {
  const name = plain(service)
  // The name must not be read as an option or a path.
  if (!/^[A-Za-z0-9][A-Za-z0-9@._:-]*$/.test(name))
    throw new JarvisError('invalid_request', 'A service has letters, digits and @._-, for example pveproxy.')
  try {
    const argv = ['systemctl', 'show', `--property=${properties}`, '--', `${name}.service`]
    const { stdout, stderr } = await shell.run(node, [argv], { signal })
    const said = unitIn(stdout)
    if (said !== undefined) return said
    throw new JarvisError('cluster_refused', `systemctl on ${node} did not say: ${stderr.trim().slice(0, 200)}`)
  } catch (error) {
    if (signal.aborted || !ofTheApi.has(name)) throw error
    const state = ServiceState.parse(await api.get(['nodes', node, 'services', name, 'state'], {}, { signal }))
    const activeState = state['active-state'] ?? 'unknown'
    return { id: name, names: [name], loadState: 'loaded', activeState, subState: state.state ?? 'unknown' }
  }
}

/** Parses the output of `systemctl show`; undefined if a required property is missing. */
function unitIn(text: string): UnitState | undefined {
  const said = new Map(text.split('\n').map((line) => splitOnce(line.trim())))
  const [id, loadState, activeState, subState] = ['Id', 'LoadState', 'ActiveState', 'SubState'].map((key) =>
    said.get(key),
  )
  if (!id || !loadState || !activeState || !subState) return undefined
  const names = (said.get('Names') ?? '').split(' ').filter((name) => name !== '')
  const type = said.get('Type')
  return {
    id: plain(id),
    names: [...new Set([id, ...names].map(plain))],
    ...(type !== undefined && type !== '' && { type }),
    loadState,
    activeState,
    subState,
  }
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf('=')
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}
