import type { ModelErrorCode } from '../../agent/model.ts'
import type { Meaning } from './rows.ts'

/** Input for a message to a person. `tail`: a colon and the server's own sentence, or a full stop. */
type Told = {
  name: string
  host: string
  keyName: string
  urlName: string
  modelName?: string
  status: number
  tail: string
}
type Outcome = { code: ModelErrorCode; isRetryable: boolean; told(of: Told): string }

const outcome = (code: ModelErrorCode, isRetryable: boolean, told: Outcome['told']): Outcome => ({
  code,
  isRetryable,
  told,
})

/** The outcome of each meaning: if asking again helps, and the advice for the person. */
const outcomes: Readonly<Record<Meaning, Outcome>> = {
  too_long: outcome(
    'model_bad_request',
    false,
    ({ host, status, tail }) => `${host} refused the request (HTTP ${status}) as too long${tail}`,
  ),
  plan: outcome(
    'model_rate_limited',
    false,
    ({ name, tail }) => `${name} takes no request as large as this one on this plan${tail}`,
  ),
  throttled: outcome(
    'model_rate_limited',
    true,
    ({ name, tail }) => `${name} limits the rate of requests${tail} Try again later.`,
  ),
  spent: outcome(
    'model_quota',
    false,
    ({ name, tail }) => `${name} says the quota or credit is used up${tail} Check the plan and billing there.`,
  ),
  affords: outcome(
    'model_quota',
    false,
    ({ name, tail }) => `${name} says the credit pays for a shorter answer only${tail} Add credit there.`,
  ),
  key: outcome(
    'model_auth',
    false,
    ({ name, status, keyName, tail }) => `${name} refused access (HTTP ${status})${tail} Check the key (${keyName}).`,
  ),
  forbidden: outcome(
    'model_auth',
    false,
    ({ name, status, keyName, tail }) =>
      `${name} refused access (HTTP ${status})${tail} Check the key (${keyName}) and what it may do.`,
  ),
  place: outcome(
    'model_auth',
    false,
    ({ name, status, tail }) =>
      `${name} refuses requests from this address (HTTP ${status})${tail} Check its firewall, its list of countries, and any proxy between.`,
  ),
  disabled: outcome(
    'model_auth',
    false,
    ({ name, status, tail }) => `${name} has this service switched off (HTTP ${status})${tail} Switch it on there.`,
  ),
  filtered: outcome(
    'model_bad_request',
    false,
    ({ host, status, tail }) =>
      `${host} refused the request by its filter (HTTP ${status})${tail} Word it differently, or choose another model.`,
  ),
  overloaded: outcome('model_overloaded', true, ({ name, tail }) => `${name} is overloaded${tail} Try again later.`),
  loading: outcome(
    'model_overloaded',
    true,
    ({ name, tail }) => `${name} has not loaded the model yet${tail} Try again soon.`,
  ),
  memory: outcome(
    'model_unfit',
    false,
    ({ name, tail }) =>
      `${name} has too little memory for the model${tail} Free memory there, or choose a smaller model or context.`,
  ),
  no_model: outcome(
    'model_unfit',
    false,
    ({ host, status, modelName, tail }) =>
      `${host} does not have the model (HTTP ${status})${tail} Check the model's name${modelName === undefined ? '' : ` (${modelName})`}.`,
  ),
  picture: outcome(
    'model_bad_request',
    false,
    ({ host, status, tail }) => `${host} refused a picture (HTTP ${status})${tail}`,
  ),
  talks_only: outcome(
    'model_unfit',
    false,
    ({ host, status, tail }) =>
      `${host} gives this model no tools (HTTP ${status})${tail} It can only talk: choose a model that takes tools to have something looked up or done.`,
  ),
  no_tools: outcome(
    'model_unfit',
    false,
    ({ host, status, tail }) =>
      `${host} gives this model no tools (HTTP ${status})${tail} JARVIS needs them: choose a model that takes tools, or allow them on the server.`,
  ),
}

/** Returns the outcome of a refusal whose message is not known, by its HTTP status. */
function byStatus(status: number): Outcome {
  if (status >= 500)
    return outcome(
      'model_overloaded',
      true,
      ({ name, tail }) => `${name} had an error of its own (HTTP ${status})${tail} Try again later.`,
    )
  if (status === 408)
    return outcome('model_timeout', true, ({ name, tail }) => `${name} gave up on the request${tail} Try again.`)
  if (status < 400)
    return outcome(
      'model_bad_request',
      false,
      ({ host, urlName }) =>
        `${host} sends requests on to another address (HTTP ${status}), and JARVIS takes the key to none. Enter that address (${urlName}).`,
    )
  const hint = (urlName: string) => `Check the address (${urlName}) and the model's name.`
  return outcome('model_bad_request', false, ({ host, urlName, tail }) => {
    if (tail === '.') return `${host} refused the request (HTTP ${status}): ${hint(urlName)}`
    return `${host} refused the request (HTTP ${status})${tail}${status === 404 ? ` ${hint(urlName)}` : ''}`
  })
}

export const outcomeOf = (because: Meaning | undefined, status: number): Outcome =>
  because === undefined ? byStatus(status) : outcomes[because]
