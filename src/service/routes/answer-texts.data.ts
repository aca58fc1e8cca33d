// What each status of an answer means to a client, for the OpenAPI document. When each of them is given is decided in the routes and in auth.

export const ANSWER_TEXTS: Readonly<Record<number, string>> = {
  200: 'The request was carried out; the body is as described.',
  400: 'The parameters or the body do not fit; the message says which, what was received and what is accepted.',
  401: 'The API key (or enrolment code) is missing, wrong, revoked or expired.',
  403: 'The key is good, but it lacks the permission, or may not use the workspace or the farm.',
  404: 'What the request is about does not exist, or the key may not know that it does.',
  408: 'The request took too long to arrive.',
  409: 'The request contradicts what is there: an Idempotency-Key used with another body, or a place that is taken.',
  413: 'The body is larger than the service takes.',
  414: 'The path of the request is too long.',
  415: 'The body is of a media type, character set or compression that this operation does not take.',
  429: 'Too many requests in a minute; the header Retry-After says how many seconds to wait.',
  431: 'The headers are larger than the service takes.',
  500: 'The service failed; its log has the cause under the id in the header x-request-id.',
  503: 'The service cannot answer now; try again.',
};
