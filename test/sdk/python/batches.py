"""Uploads a file, runs batches of OpenAI and Anthropic to their end, and prints what it saw as JSON."""
import json
import sys
import time

import anthropic
import openai

url, api_key, other_key = sys.argv[1:4]
client = openai.OpenAI(base_url=f"{url}/v1", api_key=api_key, max_retries=0)
other = openai.OpenAI(base_url=f"{url}/v1", api_key=other_key, max_retries=0)
claude = anthropic.Anthropic(base_url=url, api_key=api_key, max_retries=0)
stranger = anthropic.Anthropic(base_url=url, api_key=other_key, max_retries=0)


def prompt(at):
    return [{"role": "user", "content": f"Say {at}. [[sim tokens={5 + at} steps=2]]"}]


def line(at):
    body = {"model": "gpt", "max_completion_tokens": 50, "messages": prompt(at)}
    return {"custom_id": f"item-{at}", "method": "POST", "url": "/v1/chat/completions", "body": body}


def foreign(ask):
    try:
        ask()
        return "found"
    except (openai.NotFoundError, anthropic.NotFoundError):
        return "not found"


lines = "\n".join(json.dumps(line(at)) for at in range(3))
file = client.files.create(file=("requests.jsonl", lines.encode()), purpose="batch")
batch = client.batches.create(
    input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"a": "b"}
)
ended = batch
while ended.status not in ("completed", "failed"):
    time.sleep(0.2)
    ended = client.batches.retrieve(batch.id)
results = [json.loads(each) for each in client.files.content(ended.output_file_id).text.splitlines()]
requests = [
    {"custom_id": f"item-{at}", "params": {"model": "sonnet", "max_tokens": 50, "messages": prompt(at)}}
    for at in range(3)
]
messages = claude.messages.batches.create(requests=requests)
read = messages
while read.processing_status != "ended":
    time.sleep(0.2)
    read = claude.messages.batches.retrieve(messages.id)
answers = list(claude.messages.batches.results(messages.id))

print(
    json.dumps(
        {
            "file": [file.purpose, file.id in [each.id for each in client.files.list()]],
            "content": client.files.content(file.id).text == lines,
            "batch": [ended.status, ended.metadata, ended.request_counts.completed],
            "listed": batch.id in [each.id for each in client.batches.list()],
            "results": sorted([each["custom_id"], each["response"]["body"]["model"]] for each in results),
            "foreign": [
                foreign(lambda: other.files.retrieve(file.id)),
                foreign(lambda: other.batches.retrieve(batch.id)),
                foreign(lambda: stranger.messages.batches.retrieve(messages.id)),
            ],
            "deleted": client.files.delete(file.id).deleted,
            "messages": sorted([each.custom_id, each.result.message.model] for each in answers),
            "messagesListed": messages.id in [each.id for each in claude.messages.batches.list()],
            "batchId": batch.id,
            "messagesId": messages.id,
        }
    )
)
