import { MaintenanceWindow, WindowBody } from 'protocol'
import { z } from 'zod'
import type { Watch } from '../watch/watch.ts'
import { type Route, route } from './route.ts'

/** `/api/windows`: maintenance windows, during which alerts are not sent to anybody. */
export const windowRoutes = (watch: Pick<Watch, 'windows' | 'addWindow' | 'removeWindow'>): Route[] => [
  route('/windows').get(
    'Maintenance windows that have not ended.',
    { role: 'viewer', token: 'read', reply: z.object({ items: z.array(MaintenanceWindow) }) },
    () => ({ items: watch.windows() }),
  ),
  route('/windows').post(
    'Makes a window of at most 30 days. `objects` are ids as in alerts, of which a node stands for all on it, or `*`.',
    { role: 'operator', body: WindowBody, reply: MaintenanceWindow, status: 201 },
    ({ body, by }) => watch.addWindow(body, by),
  ),
  route('/windows/:id').delete('Ends a window.', { role: 'operator' }, ({ params, by }) =>
    watch.removeWindow(params.id, by),
  ),
]
