"""S3 storage policies: a folder of the session that mirrors a prefix of a bucket."""
