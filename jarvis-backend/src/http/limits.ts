import { Limits } from 'protocol'
import { type Route, route } from './route.ts'

/** `/api/limits`: reads and sets the limits above which a figure needs attention. */
export const limitsRoutes = (limits: { current(): Limits; set(limits: Limits, by: string): void }): Route[] => [
  route('/limits').get(
    'The limits from which a figure needs attention.',
    { role: 'viewer', token: 'read', reply: Limits },
    limits.current,
  ),
  route('/limits').put('Replaces these limits.', { role: 'operator', body: Limits, reply: Limits }, ({ body, by }) => {
    limits.set(body, by)
    return limits.current()
  }),
]
