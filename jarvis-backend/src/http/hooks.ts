import { JarvisError } from 'protocol'
import { z } from 'zod'
import type { HookKey } from '../auth/hook-key.ts'
import type { Journal, Transactions } from '../calls/ports.ts'
import type { Watch } from '../watch/watch.ts'
import { Ok, ok, type Route, route } from './route.ts'

/** `createdAt`: Unix ms. Null: there is no key. */
const Key = z.object({ createdAt: z.int(), lastUsedAt: z.int().nullable() }).nullable()
/** The body of Proxmox's template. Other fields are ignored. */
const Hint = z.object({ type: z.string().max(100).optional().catch(undefined) })
const name = 'webhook of Proxmox'

/** `/api/hooks`: creates the webhook's key, which is shown once, revokes it, and accepts hints that carry it. */
export function hookRoutes(parts: {
  hook: HookKey
  watch: Pick<Watch, 'hint'>
  journal: Journal
  transactions: Pick<Transactions, 'durably'>
}): Route[] {
  const { hook, journal, transactions } = parts
  return [
    route('/hooks').get(
      'Tells if there is a key of the [webhook](alerts.md).',
      { role: 'owner', reply: z.object({ pve: Key }) },
      () => ({
        pve: hook.state(),
      }),
    ),
    route('/hooks').post(
      'Makes the webhook’s `key`, which is shown once and replaces the one before.',
      { role: 'owner', password: true, status: 201, reply: z.object({ pve: Key, key: z.string() }) },
      ({ by }) => {
        const key = transactions.durably(() => {
          const made = hook.make()
          journal.append('token', { change: 'created', name, by })
          return made
        })
        return { pve: hook.state(), key }
      },
    ),
    route('/hooks').delete('Takes the key back.', { role: 'owner' }, ({ by }) =>
      transactions.durably(() => {
        if (!hook.remove()) throw new JarvisError('not_found', 'There is no key for the webhook.')
        journal.append('token', { change: 'revoked', name, by })
      }),
    ),
    // A hint only makes JARVIS check earlier. Its content is not trusted.
    route('/hooks/pve').post(
      'A hint of Proxmox’s to look, once a minute at most. Asks for the webhook’s key.',
      {
        role: 'key',
        admit(request) {
          const [, secret] = /^Bearer (\S{1,200})$/.exec(request.headers.authorization ?? '') ?? []
          if (secret === undefined || !hook.verify(secret))
            throw new JarvisError('unauthorized', 'This key of the webhook is not known.')
        },
        limit: '64kb',
        takesAnyBody: true,
        status: 202,
        reply: Ok,
      },
      ({ request }) => {
        const hint = Hint.safeParse(request.body)
        parts.watch.hint(hint.success ? hint.data.type : undefined)
        return ok
      },
    ),
  ]
}
