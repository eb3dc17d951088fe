"""Creates, follows, downloads and deletes a video with the SDK of OpenAI, and prints what it saw as JSON."""
import json
import sys

import openai

base_url, api_key, other_key = sys.argv[1:4]
client = openai.OpenAI(base_url=base_url, api_key=api_key, max_retries=0)
other = openai.OpenAI(base_url=base_url, api_key=other_key, max_retries=0)

created = client.videos.create(model="film", prompt="A boat. [[sim steps=2]]", seconds="8")
followed = client.videos.poll(created.id, poll_interval_ms=100)
content = client.videos.download_content(created.id, variant="video").read()
listed = [video.id for video in client.videos.list(limit=100)]
try:
    other.videos.retrieve(created.id)
    foreign = "found"
except openai.NotFoundError:
    foreign = "not found"
deleted = client.videos.delete(created.id)
try:
    client.videos.retrieve(created.id)
    after = "found"
except openai.NotFoundError:
    after = "not found"
with_image = client.videos.create(
    model="film", prompt="[[sim steps=1]]", input_reference=("boat.png", b"PNG", "image/png")
)

print(
    json.dumps(
        {
            "created": [created.status, created.model, created.seconds],
            "followed": [followed.status, followed.progress, followed.model],
            "bytes": len(content),
            "listed": created.id in listed,
            "foreign": foreign,
            "deleted": deleted.deleted,
            "after": after,
            "withImage": with_image.status,
        }
    )
)
