// The served interface description as a judge: whether an answer is one that it declares.
import Ajv2020 from 'ajv/dist/2020.js';

// Answers that no operation gave: nothing is served there, nothing with this method, or a fault took the answer.
const isUnrouted = ({ status, answer }) => status === 0 || status === 405 ||
  (status === 404 && /"message":"No (operation has this path|network is served under this host name)"/.test(answer));

// What the server takes although the description does not offer it: tier names in any case, and in a batch a
// malformed market, which is refused with its item.
const tolerated = /^data\/(tier must be equal to one of the allowed values|\d+\/market_id must match pattern .*)$/;

const escaped = (text) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

export class Description {
  constructor(document) {
    this.document = document;
    this.ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, formats: { decimal: true, int64: true, uint64: true } });
    this.ajv.addVocabulary(['components', 'example']);
    this.ajv.addSchema({ $id: 'description', components: document.components }, undefined, false, false);
    this.validators = new Map();
    this.routes = Object.entries(document.paths).map(([path, item]) => ({
      path, item, segments: path.split('/'), parameters: path.split('{').length - 1,
    })).sort((a, b) => a.parameters - b.parameters);
  }

  static async of(url) {
    return new Description(await (await fetch(`${url}/openapi.json`)).json());
  }

  // The operation of a request, null if there is none: /v1 and /indexer belong to the transport.
  operation(method, target) {
    const path = target.split('?')[0].replace(/^\/(v1|indexer)(?=\/)/, '');
    const segments = path.split('/');
    const fits = (route) => route.segments.length === segments.length &&
      route.segments.every((s, i) => (s.startsWith('{') ? segments[i] !== '' : s === segments[i]));
    const route = this.routes.find(fits);
    return route?.item[method === 'HEAD' ? 'get' : method.toLowerCase()] ?? null;
  }

  // Every operation with each of its statuses: "place_order 422".
  declared() {
    return this.routes.flatMap(({ item }) => Object.values(item).filter((one) => one.responses)
      .flatMap((one) => Object.keys(one.responses).map((status) => `${one.operationId} ${status}`)));
  }

  // What is wrong with the JSON text under the schema at that pointer into the document; '' if nothing.
  problem(pointer, text, tolerates) {
    let value;
    try { value = JSON.parse(text); } catch { return `is not JSON: ${text.slice(0, 80)}`; }
    if (!this.validators.has(pointer)) this.validators.set(pointer, this.ajv.compile({ $ref: `description#${pointer}` }));
    const validate = this.validators.get(pointer);
    if (validate(value)) return '';
    const errors = validate.errors.map((error) => `data${error.instancePath} ${error.message}`);
    return errors.every((error) => tolerates?.test(error)) ? '' : `${errors.join(', ')} in ${text.slice(0, 200)}`;
  }

  // What is wrong with an answer, and with a request that was accepted.
  problems({ method, target, status, request, answer }) {
    const operation = this.operation(method, target);
    if (operation === null || method === 'OPTIONS' || isUnrouted({ status, answer })) return [];
    const found = [];
    const reference = operation.responses[status]?.$ref;
    if (!reference) return [`${operation.operationId}: status ${status} is not declared: ${answer}`];
    const content = (pointer) => `${pointer}/content/${escaped('application/json')}/schema`;
    const name = reference.split('/').pop();
    if (this.document.components.responses[name].content && method !== 'HEAD') {
      const wrong = this.problem(content(`/components/responses/${name}`), answer);
      if (wrong) found.push(wrong);
    }
    if (status < 300 && request?.trim() && operation.requestBody) {
      const wrong = this.problem(content(operation.requestBody.$ref.slice(1)), request, tolerated);
      if (wrong) found.push(`the request was accepted and ${wrong}`);
    }
    return found.map((text) => `${operation.operationId} ${status}: ${text}`);
  }
}
