import { ApiError } from './errors.ts'

/** `model`: `provider/model`; absent for an agent. */
type Named = { readonly name: string; readonly model?: string }

/** Returns the model with this name. @throws ApiError 404 `model_not_found` with the names of the available models */
export function requireModel<M extends Named>(models: readonly M[], wanted: string): M {
  const found = models.find(({ name }) => name === wanted)
  if (found !== undefined) return found
  const names = models.map(({ name }) => name).join(', ')
  const message = `There is no model ${JSON.stringify(wanted)} for this token. There are: ${names}.`
  throw new ApiError('model_not_found', message, { status: 404, param: 'model' })
}

/** @param created start time of JARVIS, Unix s, because the time at which an agent was created is not known */
export const modelEntry = ({ name, model }: Named, created: number) => ({
  id: name,
  object: 'model',
  created,
  owned_by: model === undefined ? 'jarvis' : (model.split('/', 1)[0] ?? ''),
})

export const modelList = (models: readonly Named[], created: number) => ({
  object: 'list',
  data: models.map((model) => modelEntry(model, created)),
})
