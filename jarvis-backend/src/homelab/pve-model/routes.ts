import { configRoutes } from './guests/config.ts'
import type { Route } from './route.ts'

/** All that the model answers. The first that fits answers. */
export const routes: readonly Route[] = [...configRoutes]
