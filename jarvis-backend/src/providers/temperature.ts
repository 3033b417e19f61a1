/**
 * True if a model may be sent a temperature. OpenAI's reasoning models refuse every value. Claude is never sent a temperature, because its API
 * refuses the field.
 * @param model the provider's name of the model
 */
export const takesTemperature = (model: string): boolean => !/(?:^|[/.])(?:gpt-[5-9]|o[1-9](?:$|-))/.test(model)
