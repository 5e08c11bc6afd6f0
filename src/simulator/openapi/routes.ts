import type { FastifyInstance } from 'fastify';
import { writeJson } from '../json';
import type { Settings } from '../options';
import { openApiDocument } from './document';

/** Serves the OpenAPI document by the settings in force. It holds nothing secret, so viewers on other sites may read it. */
export function openApiRoutes(server: FastifyInstance, settings: () => Settings): void {
  server.get('/openapi.json', async (_request, reply) =>
    reply
      .type('application/json')
      .header('access-control-allow-origin', '*')
      .send(writeJson(openApiDocument(settings()))),
  );
}
