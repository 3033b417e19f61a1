import { JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { asOperatorOnce } from './remote/operator.ts'
import { reach } from './remote/reach.ts'
import { visible } from './terminal/visible.ts'

const usage = 'Use share SESSION, share SESSION PERSON look, share SESSION PERSON talk, or share SESSION PERSON off.'

/** `jarvis share`: shows and changes with which people a conversation is shared. A change requires a password that is typed at a terminal. */
export async function share(
  config: Config,
  { values, positionals }: Input<{ url?: string; json?: boolean }>,
): Promise<void> {
  const [session, person, may, ...rest] = positionals
  if (session === undefined || rest.length > 0 || (person === undefined) !== (may === undefined))
    throw new JarvisError('invalid_request', usage)
  const remote = await reach(config, values.url)
  if (person === undefined) {
    const { sharedWith = [] } = await remote.call('GET /api/sessions/:id', { params: { id: session } })
    if (values.json === true) console.log(JSON.stringify(sharedWith, null, 2))
    else if (sharedWith.length === 0) console.log('It is shared with nobody.')
    else for (const { name, may } of sharedWith) console.log(`${visible(name)}  ${words[may]}`)
    return
  }
  if (may !== 'look' && may !== 'talk' && may !== 'off') throw new JarvisError('invalid_request', usage)
  await asOperatorOnce(remote, 'Sharing a conversation', async (operator) => {
    const { items } = await operator.call('GET /api/people')
    const found = items.find(({ id, name }) => id === person || name.toLowerCase() === person.toLowerCase())
    if (found === undefined) throw new JarvisError('not_found', `There is nobody called ${person}.`)
    const params = { id: session, person: found.id }
    if (may === 'off') await operator.call('DELETE /api/sessions/:id/shares/:person', { params })
    else await operator.call('PUT /api/sessions/:id/shares/:person', { params, body: { may } })
    console.log(may === 'off' ? `Shared with ${found.name} no more.` : `${found.name} ${words[may]} it from now on.`)
    return true
  })
}

const words = { look: 'reads', talk: 'reads and writes' }
