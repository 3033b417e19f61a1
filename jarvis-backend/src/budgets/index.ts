export { createKeeper, type Keeper } from './keeper.ts'
export type { OwnLimits } from './scopes.ts'
export { type BudgetSettings, createBudgetSettings } from './settings.ts'
export { dollars } from './words.ts'
