import { SettingInForce } from 'protocol'
import { z } from 'zod'
import { type Route, route } from './route.ts'

/** `/api/config`: every setting with its value, and where it comes from. Secrets are not shown. */
export const settingsInForceRoutes = (read: () => SettingInForce[]): Route[] => [
  route('/config').get(
    'Every setting with its value, where it comes from, its default, and where it is changed. A secret’s value is `set`.',
    { role: 'operator', reply: z.object({ items: z.array(SettingInForce) }) },
    () => ({ items: read() }),
  ),
  route('/config/export').get(
    'The settings that somebody set, as a JSON file `{name: value}`. Secrets are left out.',
    { role: 'operator', media: ['application/octet-stream'] },
    ({ response }) => {
      const set = read().flatMap(({ name, value, isSecret }): [string, string][] =>
        value === undefined || isSecret === true ? [] : [[name, value]],
      )
      response.attachment('config.json').type('application/octet-stream')
      response.send(`${JSON.stringify(Object.fromEntries(set), null, 2)}\n`)
    },
  ),
]
