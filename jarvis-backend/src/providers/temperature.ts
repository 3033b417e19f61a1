/**
 * Whether a model may be sent a temperature: OpenAI's reasoning models refuse every value. Claude is never sent one, because its API
 * refuses the field.
 * @param model as its provider names it
 */
export const takesTemperature = (model: string): boolean => !/(?:^|[/.])(?:gpt-[5-9]|o[1-9](?:$|-))/.test(model)
